#include "train/trainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "domain/errors.h"
#include "train/training.h"

namespace lastro::test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

Digest calm_digest(std::int64_t steps) {
  TestRun run{small_settings(steps)};
  run.start(1);
  return run.digest();
}

TEST(Trainer, LearnsARule) {
  TestRun run{small_settings(60, 4)};

  run.start(1, 2);

  EXPECT_NEAR(run.told.lines.front().at("loss").number(), std::log(300.0), 0.1);
  EXPECT_LT(run.told.lines.back().at("loss").number(), 0.05);
  EXPECT_EQ(run.result.content, run.digest());
  EXPECT_EQ(run.result.summary.at("steps").integer(), 60);
  EXPECT_EQ(run.result.summary.at("tokens").integer(), 60 * 4 * 24);
  EXPECT_GT(run.result.measured.at("tokens_per_s").number(), 0);
}

TEST(Trainer, ComesToTheSameStateWhereverItIsStoppedAndWithWhateverRanks) {
  const Digest calm = calm_digest(9);

  TestRun run{small_settings(9)};
  run.settings.checkpoint.every_steps = 2;
  std::int64_t stop_at = 0;
  std::int64_t seen = -1;
  run.on_leaf = [&](std::int64_t data_step, std::int64_t leaf) {
    if (leaf == 0) seen = data_step;
  };
  run.stop = [&](Rank rank) { return rank.value == 0 && seen + 2 == stop_at; };   // asked before its step: seen is that of the step before
  int ranks = 1;
  for (const std::int64_t stop : {3, 4, 7}) {
    stop_at = stop;
    EXPECT_THROW(run.start(ranks, 1 + ranks % 2), Preempted);
    EXPECT_EQ(run.memory.saved.rbegin()->first, stop);
    ++ranks;
  }
  stop_at = 0;
  run.start(3);

  EXPECT_EQ(run.digest(), calm);
}

TEST(Trainer, SavesAsOftenAsItIsTold) {
  TestRun run{small_settings(7)};
  run.settings.checkpoint.every_steps = 3;

  run.start(2);

  std::vector<std::int64_t> steps;
  for (const auto& [step, saved] : run.memory.saved) steps.push_back(step);
  EXPECT_EQ(steps, (std::vector<std::int64_t>{3, 6, 7}));
}

TEST(Trainer, PublishesAFinishedRunAgainWithoutAStep) {
  TestRun run{small_settings(3)};
  run.start(1);
  const StageResult first = run.result;

  run.start(2);

  EXPECT_EQ(run.result.content, first.content);
  EXPECT_EQ(run.result.summary, first.summary);
  EXPECT_TRUE(run.told.lines.empty());
}

TEST(Trainer, SaysSoWhenTheLastCheckpointCannotBeSaved) {
  TestRun run{small_settings(2)};
  run.memory.disk_is_full = true;

  EXPECT_THROW(run.start(1), EnvironmentError);
}

TEST(Trainer, SkipsNoisyDataAndGoesOnFromInsideTheSkips) {
  // Two steps of noise in a run that has learnt the rule: a spike each, fewer in a row than a roll-back needs.
  TestRun calm{small_settings(34, 4)};
  calm.noise_begin = 30;
  calm.noise_end = 32;
  calm.start(1);
  EXPECT_EQ(calm.result.summary.at("skipped_steps").integer(), 2);
  EXPECT_THAT(calm.told.events, Contains(HasSubstr("step 30 is skipped (loss_spike")));

  TestRun broken{small_settings(34, 4)};
  broken.noise_begin = 30;
  broken.noise_end = 32;
  broken.stop = [&](Rank) { return broken.memory.saved.empty(); };
  std::int64_t seen = -1;
  broken.on_leaf = [&](std::int64_t data_step, std::int64_t leaf) {
    if (leaf == 0) seen = data_step;
  };
  broken.stop = [&](Rank rank) { return rank.value == 0 && seen == 29 && broken.memory.saved.empty(); };
  EXPECT_THROW(broken.start(2), Preempted);
  EXPECT_EQ(broken.memory.saved.rbegin()->first, 31);   // between the two skips
  broken.start(3);

  EXPECT_EQ(broken.digest(), calm.digest());
  EXPECT_EQ(broken.memory.saved.rbegin()->second.scalars, calm.memory.saved.rbegin()->second.scalars);
}

TEST(Trainer, RollsBackPastBadDataToTheSameStateWhateverIsSaved) {
  std::vector<Digest> digests;
  for (const std::int64_t every_steps : {0, 4, 7}) {
    TestRun run{small_settings(38, 4)};
    run.settings.checkpoint.every_steps = every_steps;
    run.noise_begin = 30;
    run.noise_end = 33;
    run.start(every_steps == 4 ? 2 : 1);

    EXPECT_EQ(run.memory.roll_backs, (std::vector<std::int64_t>{28}));   // two steps before the first skipped
    EXPECT_EQ(run.result.summary.at("roll_backs").integer(), 1);
    EXPECT_EQ(run.result.summary.at("skipped_steps").integer(), 0);   // the new way has none
    EXPECT_THAT(run.told.events, Contains(HasSubstr("leaves out the data of steps 28 to 32")));
    digests.push_back(run.digest());
  }

  EXPECT_EQ(digests[1], digests[0]);
  EXPECT_EQ(digests[2], digests[0]);
}

TEST(Trainer, SaysThatTrainingDivergedWhenRollBacksAreUsedUp) {
  TestRun run{small_settings(60, 4)};
  run.settings.guard.roll_backs = 1;
  run.noise_begin = 30;
  run.noise_end = 1000;

  try {
    run.start(2);
    FAIL() << "training went on";
  } catch (const DivergedError& error) {
    EXPECT_EQ(error.code(), ExitCode::diverged);
    EXPECT_THAT(error.what(), HasSubstr("3 steps in a row were skipped"));
    EXPECT_THAT(error.what(), HasSubstr("after 1 roll-backs"));
    EXPECT_THAT(error.what(), HasSubstr("lower optimizer.lr"));
  }
}

TEST(Trainer, BlamesTheInitialWeightsWhereNoStepWasEverApplied) {
  TestRun run{small_settings(60)};
  run.settings.model.norm_eps = 0;
  run.settings.model.init_std = 0;   // a mean square of 0, and nothing added to it

  try {
    run.start(1);
    FAIL() << "training went on";
  } catch (const DivergedError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("diverged at step 0"), HasSubstr("the initial weights give no finite loss")));
    EXPECT_THAT(error.what(), Not(HasSubstr("optimizer.lr")));
  }
}

// Puts a NaN into what one rank gives to a fold, in the step in which it is told to.
class PoisonedCollective final : public Collective {
 public:
  PoisonedCollective(Collective& inner, const std::atomic<bool>& poisons) : inner_(inner), poisons_(poisons) {}
  Rank rank() const override { return inner_.rank(); }
  int size() const override { return inner_.size(); }
  void barrier() override { inner_.barrier(); }
  void broadcast(std::span<std::byte> bytes, Rank root) override { inner_.broadcast(bytes, root); }
  void all_gather(std::span<const std::byte> mine, std::span<const std::int64_t> lengths, std::span<std::byte> whole) override {
    inner_.all_gather(mine, lengths, whole);
  }
  void fold_scatter(std::span<const float> mine, std::span<const std::int64_t> lengths, int contributors, Fold fold,
                    std::span<float> accumulator) override {
    std::vector<float> copy(mine.begin(), mine.end());
    if (poisons_ && rank().value == 1 && !copy.empty()) copy[copy.size() / 2] = std::numeric_limits<float>::quiet_NaN();
    inner_.fold_scatter(copy, lengths, contributors, fold, accumulator);
  }
  void all_max(std::span<std::int64_t> values) override { inner_.all_max(values); }
  void all_sum(std::span<std::int64_t> values) override { inner_.all_sum(values); }
  std::unique_ptr<Collective> split(int color) override { return inner_.split(color); }

 private:
  Collective& inner_;
  const std::atomic<bool>& poisons_;
};

TEST(Trainer, SkipsAStepWithANaNOnEveryRank) {
  std::vector<Digest> digests;
  for (const int ranks : {2, 3}) {
    std::atomic<bool> poisons = false;
    TestRun run{small_settings(5)};
    run.on_leaf = [&](std::int64_t data_step, std::int64_t) { poisons = data_step == 2; };
    run.wrap = [&](Collective& plain) { return std::make_unique<PoisonedCollective>(plain, poisons); };
    run.start(ranks);

    EXPECT_EQ(run.result.summary.at("skipped_steps").integer(), 1);
    EXPECT_TRUE(run.told.lines.at(2).at("gradient_norm").is_null());
    EXPECT_THAT(run.told.events, Contains(HasSubstr("step 2 is skipped (non_finite")));
    digests.push_back(run.digest());
  }

  EXPECT_EQ(digests[0], digests[1]);
  EXPECT_NE(digests[0], calm_digest(5));
}

TEST(Trainer, RepeatsAStepWhoseDataFoundNoMemory) {
  const Digest calm = calm_digest(4);
  std::atomic<int> failures = 2;
  TestRun run{small_settings(4)};
  run.on_leaf = [&](std::int64_t data_step, std::int64_t leaf) {
    if (data_step == 2 && leaf == 1 && failures-- > 0) throw std::bad_alloc();
  };

  run.start(2);
  EXPECT_EQ(run.digest(), calm);

  failures = 1000;
  run.memory.saved.clear();
  EXPECT_THROW(run.start(2), EnvironmentError);
}

TEST(Trainer, RefusesAPlanThatDoesNotFitBeforeItAllocates) {
  TestRun run{small_settings(2)};
  run.memory_limit_bytes = 1'000'000;

  EXPECT_THROW(run.start(1), BudgetError);
}

}   // namespace
}   // namespace lastro::test
