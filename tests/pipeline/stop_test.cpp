#include <gmock/gmock.h>

#include <csignal>
#include <set>
#include <sstream>

#include "pipeline/workplace.h"

namespace lastro::pipeline {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Asked : public ::testing::TestWithParam<std::pair<std::string, int>> {};

TEST_P(Asked, ToStopSavesSaysHowToGoOnAndLosesNoStep) {
  const Workplace here;
  const auto front = here.start_run({"--ranks", "2"});
  wait_for_step(here, 13);

  front->signal(GetParam().second);
  const Ended stopped = front->wait();

  ASSERT_EQ(stopped.exit_code, 7) << stopped;
  EXPECT_THAT(stopped.err, HasSubstr("run the same command to go on"));
  EXPECT_EQ(here.status_of("04_pretrain"), "interrupted");
  const std::size_t trained = here.steps_trained().size();
  EXPECT_LT(trained, 40u) << "it was to be stopped half-way";

  const Ended again = here.run_it({"--ranks", "3"});
  ASSERT_EQ(again.exit_code, 0) << again;
  EXPECT_EQ(here.digests(), golden("small"));
  const auto steps = here.steps_trained();
  EXPECT_EQ(std::set<std::int64_t>(steps.begin(), steps.end()).size(), steps.size()) << "a step was trained twice";
  EXPECT_FALSE(std::filesystem::exists(here.run / "history")) << "nothing changed, so there is no earlier record to keep";
}

INSTANTIATE_TEST_SUITE_P(All, Asked, ::testing::Values(std::pair{"ByCtrlC", SIGINT}, std::pair{"ByTerm", SIGTERM}, std::pair{"ByUsr1", SIGUSR1}),
                         [](const auto& one) { return one.param.first; });

TEST(ASingleRank, AskedToStopSavesToo) {
  const Workplace here;
  const auto front = here.start_run();
  wait_for_step(here, 5);

  front->signal(SIGTERM);
  const Ended stopped = front->wait();

  EXPECT_EQ(stopped.exit_code, 7) << stopped;
  ASSERT_EQ(here.run_it().exit_code, 0);
  EXPECT_EQ(here.digests(), golden("small"));
}

TEST(AnEvaluation, AskedToStopDoesNotGoOnToItsEnd) {
  const Workplace here;
  // xz alone takes some seconds of this.
  const auto front =
      here.start_run({"--ranks", "2", "--set", "sources.stories.generated.bytes=6000000", "--set", "stages.04_pretrain.settings.steps=1", "--set",
                      "stages.04_pretrain.settings.optimizer.warmup_steps=0", "--set", "stages.04_pretrain.settings.checkpoint.every_steps=0"});
  wait_until("10_evaluate is at work",
             [&] { return std::filesystem::exists(here.run / "manifest.out.yaml") && here.status_of("10_evaluate") == "running"; });

  front->signal(SIGTERM);
  const Ended stopped = front->wait();

  EXPECT_EQ(stopped.exit_code, 7) << stopped;
  EXPECT_THAT(stopped.err, HasSubstr("asked to stop: the step at work ends first"));
  EXPECT_THAT(stopped.out, Not(HasSubstr("measures xz"))) << "it was to stop within a window";
  EXPECT_EQ(here.status_of("10_evaluate"), "interrupted");
}

TEST(TheTerminal, ShowsWhatLastroSaysAndNothingOfItsLauncher) {
  const Workplace here;
  const auto front = here.start_run({"--ranks", "2"});
  wait_for_step(here, 2);

  ::kill(here.ranks().at(0), SIGKILL);
  const Ended killed = front->wait();

  std::istringstream lines(killed.err);
  for (std::string line; std::getline(lines, line);) EXPECT_THAT(line, ::testing::StartsWith("lastro: "));
  EXPECT_THAT(killed.out, Not(HasSubstr("mpirun")));
}

TEST(ARun, RefusesADirectoryInUseAndNamesItsHolder) {
  const Workplace here;
  const auto first = here.start_run({"--set", "stages.04_pretrain.settings.steps=4000"});
  wait_for_step(here, 1);
  const std::string holder = std::to_string(here.ranks().at(0));

  const Ended second = here.run_it({"--set", "stages.04_pretrain.settings.steps=4000"});

  EXPECT_EQ(second.exit_code, 3) << second;
  EXPECT_THAT(second.err, HasSubstr("in use by process " + holder));
  EXPECT_TRUE(first->is_running());
  EXPECT_EQ(here.status_of("04_pretrain"), "running") << "the second run must leave the record of the first alone";
}

}   // namespace
}   // namespace lastro::pipeline
