#include "data/spill_sorter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "support/temporary_folder.h"

namespace lastro {
namespace {

std::vector<std::uint64_t> sorted(const std::vector<std::uint64_t>& values, std::int64_t memory_bytes, std::size_t* runs = nullptr) {
  const TemporaryFolder folder;
  SpillSorter<std::uint64_t> sorter(folder / "runs", memory_bytes);
  for (const std::uint64_t value : values) sorter.add(value);
  std::vector<std::uint64_t> result;
  sorter.for_each([&](std::uint64_t value) { result.push_back(value); });
  if (runs) *runs = sorter.spilled_runs();
  return result;
}

TEST(SpillSorter, SortsTheSameInMemoryAndThroughFiles) {
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> values(20000);
  for (auto& value : values) value = random() % 5000;
  auto expected = values;
  std::sort(expected.begin(), expected.end());
  std::size_t runs = 0;

  EXPECT_EQ(sorted(values, 1 << 20, &runs), expected);
  EXPECT_EQ(runs, 0u);
  EXPECT_EQ(sorted(values, 2048, &runs), expected);
  EXPECT_GT(runs, 50u);
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
