#include "train/guard.h"

#include <gtest/gtest.h>

#include <limits>

#include "core/json.h"
#include "domain/errors.h"

namespace lastro {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

GuardSettings settings() {
  GuardSettings guard;
  guard.window = 8;
  guard.skips_in_a_row = 3;
  return guard;
}

// A guard that has seen `steps` usual steps: losses 2.0 and 2.1 in turn, norms 1.0 and 1.1.
Guard used_guard(std::int64_t steps) {
  Guard guard(settings());
  for (std::int64_t step = 0; step < steps; ++step)
    guard.factor(step, step, 2.0 + 0.1 * static_cast<double>(step % 2), 1.0 + 0.1 * static_cast<double>(step % 2));
  return guard;
}

TEST(Guard, AppliesUsualSteps) {
  Guard guard = used_guard(20);

  EXPECT_EQ(guard.factor(20, 20, 2.05, 1.05), 1);
  EXPECT_TRUE(guard.skips().empty());
}

TEST(Guard, SkipsWhatIsNotFiniteFromTheFirstStepOn) {
  Guard guard(settings());

  EXPECT_EQ(guard.factor(0, 0, nan, 1), 0);
  EXPECT_EQ(guard.factor(1, 1, 2, infinity), 0);
  EXPECT_EQ(guard.skips(), (std::vector<Guard::Skip>{{0, 0, Guard::Finding::non_finite}, {1, 1, Guard::Finding::non_finite}}));
}

TEST(Guard, SkipsALossThatLeapsUp) {
  Guard guard = used_guard(8);

  EXPECT_EQ(guard.factor(8, 9, 2.54, 1.0), 1);   // within the least rise of 0.5 above the mean of 2.05
  EXPECT_EQ(guard.factor(9, 10, 3.4, 1.0), 0);
  EXPECT_EQ(guard.skips(), (std::vector<Guard::Skip>{{9, 10, Guard::Finding::loss_spike}}));
}

TEST(Guard, SkipsANormThatLeapsUp) {
  Guard guard = used_guard(8);

  EXPECT_EQ(guard.factor(8, 8, 2.0, 9.4), 1);   // within 8 times the mean above it
  EXPECT_EQ(used_guard(8).factor(8, 8, 2.0, 9.5), 0);
}

TEST(Guard, WaitsForHalfAWindowBeforeItJudges) {
  EXPECT_EQ(used_guard(3).factor(3, 3, 100, 100), 1);
  EXPECT_EQ(used_guard(4).factor(4, 4, 100, 100), 0);
}

TEST(Guard, LearnsNothingFromSkippedSteps) {
  Guard guard = used_guard(8);
  for (int i = 0; i < 30; ++i) EXPECT_EQ(guard.factor(8 + i, 8 + i, 50, 50), 0);

  EXPECT_EQ(guard.factor(40, 40, 2.0, 1.0), 1);
}

TEST(Guard, AsksForARollBackAfterSkipsInARow) {
  Guard guard = used_guard(8);

  guard.factor(8, 8, 50, 1);
  guard.factor(9, 9, 50, 1);
  EXPECT_FALSE(guard.must_roll_back());
  guard.factor(10, 10, 2, 1);
  guard.factor(11, 11, 50, 1);
  guard.factor(12, 12, 50, 1);
  EXPECT_FALSE(guard.must_roll_back());   // three skips, but not in a row
  guard.factor(13, 13, 50, 1);
  EXPECT_TRUE(guard.must_roll_back());
}

TEST(Guard, GoesOnFromItsNodeAsIfItHadNeverStopped) {
  for (const std::int64_t steps : {0, 3, 8, 11, 21}) {
    Guard guard = used_guard(steps);
    guard.factor(steps, steps + 5, nan, 1);
    Guard restored(settings());
    restored.from_node(parse_json(to_json(guard.to_node()), "guard"));

    EXPECT_EQ(restored.to_node(), guard.to_node());
    for (std::int64_t step = steps + 1; step < steps + 40; ++step) {
      const double loss = step % 7 == 0 ? 2.56 + 0.01 * static_cast<double>(step) : 2.0 + 0.01 * static_cast<double>(step % 5);
      EXPECT_EQ(restored.factor(step, step, loss, 1), guard.factor(step, step, loss, 1));
    }
    EXPECT_EQ(restored.to_node(), guard.to_node());
  }
}

TEST(Guard, RefusesANodeOfAnotherWindow) {
  GuardSettings wider = settings();
  wider.window = 100;

  EXPECT_THROW(Guard(wider).from_node(used_guard(20).to_node()), ContractError);
}

}   // namespace
}   // namespace lastro
