#include "eval/held_out.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace lastro {
namespace {

class Windows : public testing::TestWithParam<std::tuple<int, int, double>> {};

TEST_P(Windows, ScoreEachTargetOnceInOrder) {
  const auto [tokens, context, overlap] = GetParam();

  std::int64_t next = 1;
  for (const Window& window : windows_over(tokens, context, overlap)) {
    EXPECT_EQ(window.first, next);
    EXPECT_GE(window.end, window.first);
    EXPECT_LE(window.end - window.begin, context);   // that many inputs
    EXPECT_GE(window.begin, 0);
    next = window.end + 1;
  }

  EXPECT_EQ(next, std::max(tokens, 1));
}

TEST_P(Windows, GiveEachTargetItsShareOfContext) {
  const auto [tokens, context, overlap] = GetParam();

  for (const Window& window : windows_over(tokens, context, overlap)) {
    if (window.begin > 0) {
      EXPECT_GE(window.first - window.begin, static_cast<std::int64_t>(overlap * context));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Windows,
                         testing::Combine(testing::Values(0, 1, 2, 7, 8, 9, 100, 1001), testing::Values(1, 2, 8, 64),
                                          testing::Values(0.0, 0.25, 0.5, 0.95)));

}   // namespace
}   // namespace lastro
