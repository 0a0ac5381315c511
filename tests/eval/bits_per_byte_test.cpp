#include "eval/bits_per_byte.h"

#include <gtest/gtest.h>

#include <numbers>
#include <vector>

namespace lastro {
namespace {

constexpr double bit = std::numbers::ln2;   // in nats

TEST(HeldOutScore, DividesAllBitsByAllBytes) {
  const std::vector<ScoredWindow> windows{{20 * bit, 5, 10}, {40 * bit, 5, 10}};

  const HeldOutScore score = score_of(windows);

  EXPECT_DOUBLE_EQ(score.bits_per_byte, 3.0);
  EXPECT_NEAR(score.perplexity, 64.0, 1e-12);   // 60 bits over 10 tokens: 2^6
  // residuals: 20 - 3*10 = -10 and +10; sqrt(200 * 2 / 1) / 20
  EXPECT_DOUBLE_EQ(score.standard_error, 1.0);
}

TEST(HeldOutScore, HasNoSpreadWhereAllWindowsAreAlike) {
  const std::vector<ScoredWindow> windows(9, ScoredWindow{4 * bit, 2, 4});

  EXPECT_DOUBLE_EQ(score_of(windows).standard_error, 0.0);
}

}   // namespace
}   // namespace lastro
