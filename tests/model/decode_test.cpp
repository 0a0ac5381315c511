#include "model/decode.h"

#include <gmock/gmock.h>

#include "domain/errors.h"
#include "kernels/head.h"
#include "support/small_model.h"

namespace lastro {
namespace {

// The reference: log P(target | tokens up to row) by the training pass.
std::vector<float> trained_logprobs(const SmallModel& model, std::span<const TokenId> tokens, std::span<const TokenId> targets) {
  OneWorker one;
  LeafPass pass(model.shape, {1, static_cast<std::int64_t>(tokens.size())}, Keep::inputs, one);
  std::vector<float> logprobs(tokens.size()), gradient(static_cast<std::size_t>(unit_tensors(model.shape).back().elements()));
  forward_blocks(pass, model.weights(), tokens);
  pass.loss(head_of(model.shape, model.weights()), targets, std::vector<float>(tokens.size(), 1.0f), logprobs, gradient);
  return logprobs;
}

float logprob_in(std::vector<float> logits, TokenId target) {
  OneWorker one;
  kernels::log_softmax(one, {logits.data(), 1, static_cast<std::int64_t>(logits.size())});
  return logits[target];
}

class DecoderOfEachHead : public testing::TestWithParam<bool> {
 protected:
  static ModelShape shape() {
    ModelShape shape = odd_shape();
    shape.tied = GetParam();
    return shape;
  }
  SmallModel model_{shape()};
  SmallLeaf text_{shape(), {1, 75}};
  OneWorker one_;
};
INSTANTIATE_TEST_SUITE_P(TiedAndUntied, DecoderOfEachHead, testing::Bool());

TEST_P(DecoderOfEachHead, GivesTheBitsOfTrainingTokenByToken) {
  const auto expected = trained_logprobs(model_, text_.tokens, text_.targets);
  Decoder decoder(model_.shape, model_.weights(), 1, 1, one_);
  std::vector<float> logits(37);

  for (std::size_t at = 0; at < text_.tokens.size(); ++at) {
    decoder.append(0, std::span(text_.tokens).subspan(at, 1), logits);
    ASSERT_EQ(logprob_in(logits, text_.targets[at]), expected[at]) << "token " << at;
  }
}

TEST_P(DecoderOfEachHead, GivesTheBitsOfTrainingHoweverTheTextIsCut) {
  const auto expected = trained_logprobs(model_, text_.tokens, text_.targets);
  Decoder decoder(model_.shape, model_.weights(), 2, 40, one_);
  std::vector<float> logits(37);

  std::size_t at = 0;
  for (const std::size_t piece : {1u, 40u, 5u, 29u}) {
    decoder.append(1, std::span(text_.tokens).subspan(at, piece), logits);
    at += piece;
    EXPECT_EQ(logprob_in(logits, text_.targets[at - 1]), expected[at - 1]);
    EXPECT_EQ(decoder.position(1), static_cast<std::int64_t>(at));
  }
}

TEST_P(DecoderOfEachHead, GivesTheBitsOfTrainingInABatchOfUnequalSequences) {
  const SmallLeaf other(model_.shape, {1, 75}, 4);
  const auto expected = trained_logprobs(model_, text_.tokens, text_.targets), expected_other = trained_logprobs(model_, other.tokens, other.targets);
  Decoder decoder(model_.shape, model_.weights(), 3, 30, one_);
  std::vector<float> logits(37), both(2 * 37);
  decoder.append(2, std::span(text_.tokens).first(30), logits);   // sequence 2 is 30 tokens ahead of sequence 0

  for (std::size_t step = 0; step < 40; ++step) {
    decoder.step(std::vector<std::int64_t>{2, 0}, std::vector<TokenId>{text_.tokens[30 + step], other.tokens[step]}, both);
    ASSERT_EQ(logprob_in({both.begin(), both.begin() + 37}, text_.targets[30 + step]), expected[30 + step]) << step;
    ASSERT_EQ(logprob_in({both.begin() + 37, both.end()}, other.targets[step]), expected_other[step]) << step;
  }
}

TEST_P(DecoderOfEachHead, ForgetsWhatItIsTold) {
  Decoder decoder(model_.shape, model_.weights(), 1, 20, one_);
  std::vector<float> first(37), again(37);
  decoder.append(0, std::span(text_.tokens).first(20), first);

  decoder.clear(0);
  decoder.append(0, std::span(text_.tokens).first(20), again);

  EXPECT_EQ(first, again);
}

TEST_P(DecoderOfEachHead, ScoresATextWithTheBitsOfTraining) {
  std::vector<TokenId> text = text_.tokens;
  const auto expected = trained_logprobs(model_, std::span(text).first(text.size() - 1), std::span(text).subspan(1));

  EXPECT_EQ(token_logprobs(model_.shape, model_.weights(), text, one_), expected);
}

TEST(Decoder, RefusesMoreThanTheContextAndUnknownTokens) {
  const SmallModel model(odd_shape());
  OneWorker one;
  Decoder decoder(model.shape, model.weights(), 1, 80, one);
  std::vector<float> logits(37);
  decoder.append(0, std::vector<TokenId>(80, 5), logits);

  EXPECT_THROW(decoder.append(0, std::vector<TokenId>(1, 5), logits), UsageError);
  decoder.clear(0);
  EXPECT_THROW(decoder.append(0, std::vector<TokenId>(1, 37), logits), UsageError);
  EXPECT_THROW(token_logprobs(model.shape, model.weights(), std::vector<TokenId>(82, 5), one), UsageError);
  EXPECT_THAT(token_logprobs(model.shape, model.weights(), std::vector<TokenId>(1, 5), one), testing::IsEmpty());
}

TEST(Decoder, SaysItsMemoryBeforehand) {
  const auto bytes = decoder_bytes(odd_shape(), 3, 16, 1);

  EXPECT_EQ(bytes.kv_cache, 2 * 2 * 3 * 80 * 8 * 4);   // layers, keys and values, sequences, context, kv_width, bytes
}

}   // namespace
}   // namespace lastro
