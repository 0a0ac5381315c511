#include "train/schedule.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lastro {
namespace {

const double pi = std::acos(-1.0);

TEST(Schedule, RisesInAStraightLineToItsPeak) {
  const ScheduleShape shape{Schedule::cosine, 100, 4};

  EXPECT_EQ(schedule_factor(shape, Step{0}), 0.25);
  EXPECT_EQ(schedule_factor(shape, Step{1}), 0.5);
  EXPECT_EQ(schedule_factor(shape, Step{3}), 1.0);
  EXPECT_EQ(schedule_factor(shape, Step{4}), 1.0);
}

TEST(Schedule, FollowsTheCosineToItsLeast) {
  const ScheduleShape shape{Schedule::cosine, 1000, 0, 0.2, 0.1};

  for (std::int64_t step = 0; step < 1000; ++step)
    EXPECT_NEAR(schedule_factor(shape, Step{step}), 0.1 + 0.9 * 0.5 * (1 + std::cos(pi * static_cast<double>(step) / 1000)), 1e-14) << step;
  EXPECT_EQ(schedule_factor(shape, Step{1000}), 0.1);
}

TEST(Schedule, StaysLevelAndFallsOverTheLastShare) {
  const ScheduleShape shape{Schedule::wsd, 100, 10, 0.36, 0.0};

  EXPECT_EQ(schedule_factor(shape, Step{10}), 1.0);
  EXPECT_EQ(schedule_factor(shape, Step{63}), 1.0);
  EXPECT_NEAR(schedule_factor(shape, Step{64 + 9}), 0.5, 1e-15);   // 1 - sqrt(9 / 36)
  EXPECT_NEAR(schedule_factor(shape, Step{64 + 16}), 1.0 / 3, 1e-15);
  EXPECT_GT(schedule_factor(shape, Step{99}), 0.0);
}

TEST(Schedule, NeverFallsWithoutADecay) {
  const ScheduleShape shape{Schedule::wsd, 50, 0, 0.0, 0.1};

  EXPECT_EQ(schedule_factor(shape, Step{49}), 1.0);
}

TEST(Schedule, HasTheSameBitsOnAnyMachine) {
  // Golden values: a change of these is a change of the numerics rules.
  const ScheduleShape shape{Schedule::cosine, 7, 0, 0.2, 0.1};

  EXPECT_EQ(schedule_factor(shape, Step{1}), 0x1.e92ee7f9b8333p-1);
  EXPECT_EQ(schedule_factor(shape, Step{2}), 0x1.a940865f22b05p-1);
  EXPECT_EQ(schedule_factor(shape, Step{5}), 0x1.13e559a82105ep-2);
}

}   // namespace
}   // namespace lastro
