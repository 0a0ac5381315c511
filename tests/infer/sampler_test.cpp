#include "infer/sampler.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "core/random.h"
#include "domain/errors.h"

namespace lastro {
namespace {

std::vector<int> counts_of(const Sampling& sampling, const std::vector<float>& logits, int draws) {
  TokenSampler sampler(sampling);
  std::vector<int> counts(logits.size());
  for (int draw = 0; draw < draws; ++draw) ++counts[sampler.draw(logits, random_unit(3, Purpose::test, 0, static_cast<std::uint64_t>(draw)))];
  return counts;
}

TEST(TokenSampler, TakesTheFirstOfTheLikeliestAtTemperatureZero) {
  TokenSampler sampler({.temperature = 0});

  EXPECT_EQ(sampler.draw(std::vector<float>{1, 3, 2, 3}, 0.99), 1u);
}

TEST(TokenSampler, DrawsAsOftenAsTheProbabilitiesSay) {
  const std::vector<float> logits{std::log(0.1f), std::log(0.6f), std::log(0.3f)};

  const auto counts = counts_of({}, logits, 20000);

  EXPECT_NEAR(counts[0], 2000, 200);
  EXPECT_NEAR(counts[1], 12000, 400);
  EXPECT_NEAR(counts[2], 6000, 400);
}

TEST(TokenSampler, SharpensWithALowerTemperature) {
  const std::vector<float> logits{std::log(0.25f), std::log(0.75f)};

  const auto counts = counts_of({.temperature = 0.5}, logits, 20000);   // shares 1 : 9

  EXPECT_NEAR(counts[0], 2000, 200);
}

TEST(TokenSampler, KeepsTheTopKAndOfEqualsTheSmallerIds) {
  const auto counts = counts_of({.top_k = 2}, {0, 1, 1, 1, -1}, 1000);

  EXPECT_THAT(counts, testing::ElementsAre(0, testing::Gt(400), testing::Gt(400), 0, 0));
}

TEST(TokenSampler, KeepsTheFewestTokensThatReachTopP) {
  const std::vector<float> logits{std::log(0.1f), std::log(0.5f), std::log(0.3f), std::log(0.1f)};

  EXPECT_THAT(counts_of({.top_p = 0.75}, logits, 1000), testing::ElementsAre(0, testing::Gt(500), testing::Gt(300), 0));
  EXPECT_THAT(counts_of({.top_p = 0.01}, logits, 100), testing::ElementsAre(0, 100, 0, 0));
}

TEST(TokenSampler, NeverDrawsWhatIsImpossible) {
  const float never = -std::numeric_limits<float>::infinity();

  EXPECT_THAT(counts_of({}, {never, 0, never}, 100), testing::ElementsAre(0, 100, 0));
}

TEST(TokenSampler, RefusesLogitsThatAreNotNumbers) {
  TokenSampler sampler({});

  EXPECT_THROW(sampler.draw(std::vector<float>{0, std::numeric_limits<float>::quiet_NaN()}, 0.5), DivergedError);
}

}   // namespace
}   // namespace lastro
