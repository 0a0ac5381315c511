#include "data/spill_sorter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "support/temporary_folder.h"

namespace lastro {
namespace {

std::vector<std::uint64_t> sorted(const std::vector<std::uint64_t>& values, std::int64_t memory_bytes, bool* spilled = nullptr) {
  const TemporaryFolder folder;
  SpillSorter<std::uint64_t> sorter(folder / "runs", memory_bytes);
  for (const std::uint64_t value : values) sorter.add(value);
  if (spilled) *spilled = std::filesystem::exists(folder / "runs");
  std::vector<std::uint64_t> result;
  sorter.for_each([&](std::uint64_t value) { result.push_back(value); });
  return result;
}

TEST(SpillSorter, SortsTheSameInMemoryAndThroughFiles) {
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> values(20000);
  for (auto& value : values) value = random() % 5000;
  auto expected = values;
  std::sort(expected.begin(), expected.end());
  bool spilled = true;

  EXPECT_EQ(sorted(values, 1 << 20, &spilled), expected);
  EXPECT_FALSE(spilled);
  EXPECT_EQ(sorted(values, 2048, &spilled), expected);
  EXPECT_TRUE(spilled);
}

TEST(SpillSorter, SortsNothing) { EXPECT_TRUE(sorted({}, 1024).empty()); }

TEST(SpillSorter, LeavesNoFileBehind) {
  const TemporaryFolder folder;
  {
    SpillSorter<std::uint64_t> sorter(folder / "runs", 512);
    for (std::uint64_t i = 0; i < 1000; ++i) sorter.add(i);
    EXPECT_TRUE(std::filesystem::exists(folder / "runs"));
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "runs"));
}

}   // namespace
}   // namespace lastro
