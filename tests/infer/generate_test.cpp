#include "infer/generate.h"

#include <gmock/gmock.h>

#include "domain/errors.h"
#include "support/small_model.h"

namespace lastro {
namespace {

class Generate : public testing::Test {
 protected:
  Generated run(const Generation& generation, std::vector<TokenId> prompt = {1, 2, 3}, std::int64_t tokens_per_append = 2) {
    Decoder decoder(model_.shape, model_.weights(), 1, tokens_per_append, one_);
    return generate(decoder, prompt, generation, nullptr);
  }

  SmallModel model_{odd_shape()};
  OneWorker one_;
};

TEST_F(Generate, GivesTheSameTextForTheSameSeedAndAnotherForAnotherSample) {
  Generation generation{.max_tokens = 20, .stops = {}, .seed = 5};
  const auto first = run(generation);

  EXPECT_EQ(run(generation).tokens, first.tokens);
  EXPECT_EQ(run(generation, {1, 2, 3}, 7).tokens, first.tokens);   // however the prompt is cut
  generation.sample = 1;
  EXPECT_NE(run(generation).tokens, first.tokens);
}

TEST_F(Generate, EndsAtAStopTokenWhichIsNotPartOfTheText) {
  const auto free = run({.sampling = {.temperature = 0}, .max_tokens = 10, .stops = {}});

  const auto stopped = run({.sampling = {.temperature = 0}, .max_tokens = 10, .stops = {free.tokens[0]}});

  EXPECT_EQ(stopped.finish, Finish::stop);
  EXPECT_THAT(stopped.tokens, testing::IsEmpty());
  EXPECT_EQ(free.finish, Finish::length);
}

TEST_F(Generate, EndsWhereTheContextDoes) {
  const auto all = run({.max_tokens = 1000, .stops = {}});

  EXPECT_EQ(all.tokens.size(), static_cast<std::size_t>(80 - 3 + 1));
  EXPECT_EQ(all.finish, Finish::length);
}

TEST_F(Generate, RefusesAPromptThatDoesNotFit) {
  EXPECT_THROW(run({}, {}), UsageError);
  EXPECT_THROW(run({}, std::vector<TokenId>(81, 1)), UsageError);
  EXPECT_THROW(run({}, {99}), UsageError);
}

}   // namespace
}   // namespace lastro
