#include <gmock/gmock.h>

#include <algorithm>
#include <csignal>
#include <thread>

#include "pipeline/finished_run.h"

namespace lastro::pipeline {
namespace {

using ::testing::HasSubstr;

// `mpirun -n N launch/lastro run ...`, as a user types it; as root Open MPI wants to be told twice.
Words under_mpirun(const Workplace& here, int ranks, const Words& more = {}) {
  Words words{"mpirun", "-n", std::to_string(ranks), "--oversubscribe", "--bind-to", "none", std::string(LASTRO_SOURCE_FOLDER) + "/launch/lastro"};
  const Words run = here.words_of("run", more);
  words.insert(words.end(), run.begin(), run.end());
  return words;
}

const Variables for_root{{"OMPI_ALLOW_RUN_AS_ROOT", "1"}, {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}, {"OMPI_MCA_mpi_yield_when_idle", "1"}};

class UnderMpirun : public ::testing::Test {
 protected:
  UnderMpirun() { here.environment = for_root; }
  Workplace here;
};

TEST_F(UnderMpirun, TheProgramIsARankAndTheLastLineIsTheVerdict) {
  const Ended ended = here.command(under_mpirun(here, 2));

  ASSERT_EQ(ended.exit_code, 0) << ended;
  EXPECT_EQ(ended.last_line(), "SHIP");
  EXPECT_EQ(here.digests(), golden("small"));
}

// Two ranks that may use the same cores do not make twice as many threads.
TEST_F(UnderMpirun, RanksShareOutTheCoresThatTheyMayUse) {
  Words words = under_mpirun(here, 2);
  words.erase(std::find(words.begin(), words.end(), "--threads"), std::find(words.begin(), words.end(), "--threads") + 2);

  const Ended ended = here.command(words);

  ASSERT_EQ(ended.exit_code, 0) << ended;
  EXPECT_EQ(here.record().at("machine").at("threads_per_rank").integer(), std::max(1u, std::thread::hardware_concurrency() / 2));
}

TEST_F(AFinishedRun, IsJudgedAgainUnderMpirun) {
  here.environment = for_root;

  const Ended ended = here.command(under_mpirun(here, 2, {"--set", "gates.bits_per_byte=<= 0.1"}));

  EXPECT_EQ(ended.exit_code, 5) << ended;
  EXPECT_THAT(ended.last_line(), HasSubstr("HOLD: bits_per_byte="));
}

TEST_F(UnderMpirun, AWrongManifestIsSaidOnceAndEndsAllRanks) {
  here.manifest = here.write("m.yaml", "name: x\nstagess: {}\n");

  const Ended ended = here.command(under_mpirun(here, 3));

  EXPECT_EQ(ended.exit_code, 2) << ended;
  const std::size_t first = ended.err.find("m.yaml:2:1");
  EXPECT_NE(first, ended.err.npos) << ended;
  EXPECT_EQ(ended.err.find("m.yaml:2:1", first + 1), ended.err.npos) << "said more than once\n" << ended;
}

TEST_F(UnderMpirun, WhatTheFrontBeganGoesOn) {
  const auto front = here.start_run({"--ranks", "3"});
  wait_for_step(here, 11);
  front->signal(SIGTERM);
  ASSERT_EQ(front->wait().exit_code, 7);

  const Ended ended = here.command(under_mpirun(here, 2));

  EXPECT_EQ(ended.exit_code, 0) << ended;
  EXPECT_EQ(here.digests(), golden("small"));
}

TEST_F(UnderMpirun, CommandsThatNeedNoLauncherSaySo) {
  const Ended ended = here.command({"mpirun", "-n", "1", std::string(LASTRO_SOURCE_FOLDER) + "/launch/lastro", "status", here.run.string()});

  EXPECT_EQ(ended.exit_code, 2) << ended;
  EXPECT_THAT(ended.err, HasSubstr("without mpirun"));
}

TEST(Ranks, ThatCannotBeStartedAreTheMachinesFaultAndNoDeath) {
  Workplace here;
  std::filesystem::create_directories(here / "bin");
  std::filesystem::copy_file(std::filesystem::path(LASTRO_BIN_FOLDER) / "lastro", here / "bin/lastro");   // and no lastro-rank
  here.environment = {{"LASTRO_BIN", (here / "bin").string()}};

  for (const char* ranks : {"1", "2"}) {
    const Ended ended = here.run_it({"--ranks", ranks});

    EXPECT_EQ(ended.exit_code, 3) << ended;
    EXPECT_THAT(ended.err, ::testing::HasSubstr("the ranks could not be started"));
  }
}

TEST(Ranks, ThatAreStoppedBeforeTheyBeginHaveDied) {
  const Workplace here;
  const auto under = [&](const std::string& launcher) {
    const std::string file = here.write("bin/mpirun", "#!/bin/sh\n" + launcher + "\n");
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    Words words{"sh", "-c", "PATH=\"$PWD/bin:$PATH\" exec \"$LAUNCH/lastro\" \"$@\"", "sh"};
    const Words run = here.words_of("run", {"--ranks", "2"});
    words.insert(words.end(), run.begin(), run.end());
    return here.command(words);
  };

  EXPECT_EQ(under("exit 1").exit_code, 8) << "a launcher that was told to stop says nothing";
  EXPECT_EQ(under("echo 'mpirun has exited' >&2; exit 8").exit_code, 8) << "ranks whose launcher was gone";
  EXPECT_EQ(under("echo 'mpirun noticed that process rank 1 with PID 0 on node a exited on signal 9 (Killed).' >&2; exit 137").exit_code, 8);
  EXPECT_EQ(under("echo 'there are not enough slots' >&2; exit 1").exit_code, 3);
}

}   // namespace
}   // namespace lastro::pipeline
