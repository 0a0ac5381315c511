#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <csignal>

#include "pipeline/workplace.h"

namespace lastro::pipeline {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

// Who is killed, while how many ranks train, and how many go on.
struct Murder {
  std::string victim;   // rank-<r>, mpirun, front
  int ranks;
  int ranks_after;
};
void PrintTo(const Murder& murder, std::ostream* to) { *to << murder.victim << " of " << murder.ranks << ", then " << murder.ranks_after; }

pid_t process_of(const std::string& victim, const Workplace& here, const Started& front) {
  if (victim == "front") return front.pid();
  if (victim == "mpirun") return here.launcher().value();
  return here.ranks().at(std::stoul(victim.substr(victim.find('-') + 1)));
}

// No step was trained anew that lies before the last checkpoint: the second run went on, it did not begin again.
void expect_to_have_gone_on(const Workplace& here) {
  const std::vector<std::int64_t> steps = here.steps_trained();
  EXPECT_EQ(std::count(steps.begin(), steps.end(), 1), 1);
  EXPECT_EQ(steps.back(), 40);
}

class Killed : public ::testing::TestWithParam<Murder> {};

TEST_P(Killed, AndStartedAgainEndsWithTheSameBits) {
  const Workplace here;
  const auto [victim, ranks, ranks_after] = GetParam();
  const auto first = here.start_run({"--ranks", std::to_string(ranks)});
  wait_for_step(here, 21);

  ASSERT_EQ(::kill(process_of(victim, here, *first), SIGKILL), 0);
  const Ended killed = first->wait();
  const Ended again = here.run_it({"--ranks", std::to_string(ranks_after)});

  if (victim == "front") {
    EXPECT_EQ(killed.exit_code, 128 + SIGKILL) << killed;
  } else {
    EXPECT_EQ(killed.exit_code, 8) << killed;
    EXPECT_THAT(killed.err, HasSubstr("run the same command to go on"));
    EXPECT_THAT(killed.err, HasSubstr((victim == "mpirun" ? victim : "rank " + victim.substr(5)) + " died (signal 9"));
  }
  ASSERT_EQ(again.exit_code, 0) << again;
  EXPECT_EQ(here.digests(), golden("small"));
  expect_to_have_gone_on(here);
}

INSTANTIATE_TEST_SUITE_P(All, Killed,
                         ::testing::Values(Murder{"rank-0", 1, 1}, Murder{"front", 1, 2}, Murder{"rank-0", 2, 2}, Murder{"rank-1", 2, 3},
                                           Murder{"front", 2, 1}, Murder{"rank-2", 3, 4}, Murder{"mpirun", 4, 1}),
                         [](const auto& one) {
                           std::string name =
                               one.param.victim + "Of" + std::to_string(one.param.ranks) + "ThenWith" + std::to_string(one.param.ranks_after);
                           std::erase(name, '-');
                           return name;
                         });

TEST(AKilledFront, TakesItsRanksAlongWithinSeconds) {
  const Workplace here;
  const auto front = here.start_run({"--ranks", "3", "--set", "stages.04_pretrain.settings.steps=2000"});
  wait_for_step(here, 3);
  ASSERT_EQ(here.ranks().size(), 3);

  const auto begin = std::chrono::steady_clock::now();
  front->signal(SIGKILL);
  wait_until("the ranks are gone", [&] { return here.ranks().empty() && !here.launcher(); });

  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(4));   // 2 promised; twice that where the machine is busy
}

TEST(AKilledRank, IsNamedInTheRecordWithWhatWaitsForItsStage) {
  const Workplace here;
  const auto front = here.start_run({"--ranks", "2"});
  wait_for_step(here, 2);

  ::kill(here.ranks().at(1), SIGKILL);
  ASSERT_EQ(front->wait().exit_code, 8);

  const Node stage = here.stage("04_pretrain");
  EXPECT_EQ(stage.at("status").text(), "failed");
  EXPECT_THAT(stage.at("cause").text(), HasSubstr("rank 1 died"));
  EXPECT_EQ(stage.at("invalidates"), Node(Node::Sequence{Node("10_evaluate")}));
  EXPECT_EQ(here.status_of("03_dataset"), "done");
}

// A sample of the points around each system call of a save; tests/runtime has them all, in one process.
class CrashedAt : public ::testing::TestWithParam<std::string> {};

TEST_P(CrashedAt, GoesOnToTheSameBits) {
  Workplace here;
  here.environment = {{"LASTRO_CRASH", GetParam()}};
  const Ended crashed = here.run_it({"--ranks", "2"});
  here.environment.clear();

  const Ended again = here.run_it({"--ranks", "2"});

  EXPECT_EQ(crashed.exit_code, 8) << crashed;
  ASSERT_EQ(again.exit_code, 0) << again;
  EXPECT_EQ(here.digests(), golden("small"));
}

INSTANTIATE_TEST_SUITE_P(Sample, CrashedAt,
                         ::testing::Values("shard.write:before:1:2", "index.rename:after:0:3", "artifact.sync:before:0:1", "artifact.link:after:1"),
                         [](const auto& one) {
                           std::string name = one.param;
                           std::erase_if(name, [](char c) { return c == '.' || c == ':'; });
                           return name;
                         });

}   // namespace
}   // namespace lastro::pipeline
