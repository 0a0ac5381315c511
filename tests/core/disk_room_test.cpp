#include "core/disk_room.h"

#include <gmock/gmock.h>

namespace lastro {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr std::int64_t mib = 1 << 20;

// What is said; "" where all fits.
std::string shortage(const DiskNeed& need, const DiskRoom& room) { return disk_shortage(need, room).value_or(""); }

PlannedStage stage(std::vector<DiskShare> disk) {
  PlannedStage made;
  made.resources.disk = std::move(disk);
  return made;
}

TEST(Plan, NeedsDiskForWhatStaysOfAllStagesAndForTheLargestWork) {
  using enum DiskShare::Place;
  Plan plan;
  plan.stages = {stage({{"shards", store, 10}, {"texts", work, 70}}), stage({{"checkpoints", run, 300}, {"checkpoint", linked, 100}}),
                 stage({{"counts", store, 5}, {"runs", work, 20}, {"more runs", work, 30}}), stage({{"shards", store, 1000}})};
  plan.stages[3].output = Digest{};   // there already

  const DiskNeed need = plan.disk();

  EXPECT_EQ(need.store, 15);
  EXPECT_EQ(need.linked, 100);
  EXPECT_EQ(need.run, 300);
  EXPECT_EQ(need.work, 70);
}

TEST(DiskShortage, IsToldWithNumbersOnOneFileSystem) {
  const DiskNeed need{.store = 10 * mib, .linked = 100 * mib, .run = 300 * mib, .work = 40 * mib};   // the link takes no room
  DiskRoom room{"runs/store", "runs/a", 350 * mib, 350 * mib, true, 0};

  EXPECT_EQ(shortage(need, room), "");
  room.store_free_bytes = 349 * mib;
  EXPECT_THAT(shortage(need, room), AllOf(HasSubstr("about 350 MiB will be written to runs/store and runs/a and 349 MiB is free there"),
                                          HasSubstr("(artifacts 10 MiB, checkpoints 300 MiB, temporary files 40 MiB; "),
                                          HasSubstr("free some space, or name another folder by --run or --store")));
}

TEST(DiskShortage, IsToldOfEachOfTwoFileSystems) {
  const DiskNeed need{.store = 10 * mib, .linked = 100 * mib, .run = 300 * mib, .work = 40 * mib};

  EXPECT_EQ(shortage(need, {"s", "r", 110 * mib, 340 * mib, false, 0}), "");
  EXPECT_THAT(shortage(need, {"s", "r", 109 * mib, 340 * mib, false, 0}), HasSubstr("about 110 MiB will be written to s and 109 MiB is free"));
  EXPECT_THAT(shortage(need, {"s", "r", 110 * mib, 339 * mib, false, 0}), HasSubstr("about 340 MiB will be written to r and 339 MiB is free"));
}

TEST(DiskShortage, CountsWhatAnUnfinishedRunHasWrittenAlready) {
  const DiskNeed need{.run = 300 * mib};

  EXPECT_NE(shortage(need, {"s", "r", 0, 100 * mib, false, 0}), "");
  EXPECT_EQ(shortage(need, {"s", "r", 0, 100 * mib, false, 200 * mib}), "");
}

}   // namespace
}   // namespace lastro
