#include <gmock/gmock.h>

#include "pipeline/workplace.h"

namespace lastro::pipeline {
namespace {

using ::testing::HasSubstr;

bool processor_has(const std::string& path) {
  return Workplace().command({"grep", "-qw", path == "v4" ? "avx512vl" : "avx2", "/proc/cpuinfo"}).exit_code == 0;
}

struct Size {
  int ranks;
  int threads;
};
void PrintTo(const Size& size, std::ostream* to) { *to << size.ranks << " ranks x " << size.threads << " threads"; }

class SameBits : public ::testing::TestWithParam<Size> {};

TEST_P(SameBits, OnAnyNumberOfRanksAndThreads) {
  const Workplace here;

  const Ended ended = here.run_it({"--ranks", std::to_string(GetParam().ranks), "--threads", std::to_string(GetParam().threads)});

  ASSERT_EQ(ended.exit_code, 0) << ended;
  EXPECT_EQ(ended.last_line(), "SHIP");
  EXPECT_EQ(here.digests(), golden("small"));
}

INSTANTIATE_TEST_SUITE_P(All, SameBits, ::testing::Values(Size{1, 1}, Size{1, 2}, Size{2, 1}, Size{3, 2}, Size{4, 1}),
                         [](const auto& size) { return std::to_string(size.param.ranks) + "x" + std::to_string(size.param.threads); });

class SameBitsOnPath : public ::testing::TestWithParam<std::string> {};

TEST_P(SameBitsOnPath, WithTheseInstructionsAndNoOthers) {
  if (GetParam() != "scalar" && !processor_has(GetParam())) GTEST_SKIP() << "this processor lacks the path " << GetParam();
  Workplace here;
  here.environment = {{"LASTRO_CPU", GetParam()}};

  const Ended ended = here.run_it();

  ASSERT_EQ(ended.exit_code, 0) << ended;
  EXPECT_EQ(here.digests(), golden("small"));
  const Node executed = here.stage("04_pretrain").at("measured").at("kernel_pieces");
  for (const Entry& path : executed.entries())
    EXPECT_EQ(path.value.integer() > 0, path.key == GetParam()) << path.key << " ran " << path.value.integer() << " pieces";
}

INSTANTIATE_TEST_SUITE_P(All, SameBitsOnPath, ::testing::Values("scalar", "v3", "v4"), [](const auto& path) { return path.param; });

TEST(SameBitsAsCommitted, OfTheTinyManifest) {
  Workplace here;
  here.manifest = tiny_manifest();

  const Ended ended = here.run_it({"--ranks", "2"});

  ASSERT_EQ(ended.exit_code, 0) << ended;
  EXPECT_EQ(here.digests(), golden("tiny"));
}

TEST(CpuPath, ThatNobodyKnowsIsRefused) {
  Workplace here;
  here.environment = {{"LASTRO_CPU", "v9"}};

  const Ended ended = here.run_it();

  EXPECT_EQ(ended.exit_code, 2) << ended;
  EXPECT_THAT(ended.err, HasSubstr("v9"));
}

}   // namespace
}   // namespace lastro::pipeline
