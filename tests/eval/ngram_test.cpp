#include "eval/ngram.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lastro {
namespace {

std::vector<TokenId> cycle(std::size_t tokens, std::size_t period) {
  std::vector<TokenId> text;
  for (std::size_t i = 0; i < tokens; ++i) text.push_back(static_cast<TokenId>(i % period));
  return text;
}

TEST(NgramModel, GivesProbabilitiesThatSumToOne) {
  const std::vector<TokenId> training{0, 1, 2, 0, 1, 3, 0, 2, 2, 1, 0, 1, 2, 3, 3, 0};
  const NgramModel model(training, 5);

  const std::vector<TokenId> context{0, 1, 2, 0};
  const double before = model.negative_log_likelihood(context);
  double sum = 0;
  for (TokenId next = 0; next < 5; ++next) {
    std::vector<TokenId> text = context;
    text.push_back(next);
    sum += std::exp(before - model.negative_log_likelihood(text));
  }

  EXPECT_NEAR(sum, 1.0, 1e-12);
}

TEST(NgramModel, IsNearlySureOfWhatAlwaysFollows) {
  const NgramModel model(cycle(3000, 7), 100);

  EXPECT_LT(model.negative_log_likelihood(cycle(700, 7)) / 700, 0.02);
}

TEST(NgramModel, GivesUniformProbabilitiesWithoutTraining) {
  const NgramModel model({}, 8);

  EXPECT_NEAR(model.negative_log_likelihood(cycle(10, 3)), 10 * std::log(8.0), 1e-12);
}

}   // namespace
}   // namespace lastro
