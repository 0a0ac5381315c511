#include "model/leaf_pass.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "domain/errors.h"
#include "support/small_model.h"
#include "support/thread_workers.h"

namespace lastro {
namespace {

using testing::Each;

void expect_equal_bits(const PassResult& a, const PassResult& b) {
  EXPECT_EQ(a.loss, b.loss);
  EXPECT_EQ(a.logprobs, b.logprobs);
  ASSERT_EQ(a.gradients.size(), b.gradients.size());
  for (std::size_t unit = 0; unit < a.gradients.size(); ++unit) EXPECT_EQ(a.gradients[unit], b.gradients[unit]) << "unit " << unit;
}

// Every kind of head that the rules tell apart.
std::vector<ModelShape> shapes() {
  ModelShape tied = odd_shape(), untied = odd_shape(), all_heads = odd_shape();
  untied.tied = false;
  all_heads.kv_heads = 3;
  return {tied, untied, all_heads};
}

TEST(LeafPass, GivesTheSameBitsWhateverItKeeps) {
  for (const ModelShape& shape : shapes()) {
    const SmallModel model(shape);
    const SmallLeaf leaf(shape, {3, 70});
    OneWorker one;

    expect_equal_bits(run_pass(model, leaf, Keep::everything, one), run_pass(model, leaf, Keep::inputs, one));
  }
}

TEST(LeafPass, GivesTheSameBitsOnAnyNumberOfWorkers) {
  const SmallModel model(odd_shape());
  const SmallLeaf leaf(model.shape, {2, 70});
  OneWorker one;
  const auto alone = run_pass(model, leaf, Keep::inputs, one);

  for (const int count : {2, 3}) {
    ThreadWorkers workers(count);
    expect_equal_bits(alone, run_pass(model, leaf, Keep::inputs, workers));
  }
}

TEST(LeafPass, GivesTheSameBitsWhenTheTiedGradientIsHeldOrComputedLate) {
  const SmallModel model(odd_shape());
  const SmallLeaf leaf(model.shape, {2, 33});
  OneWorker one;

  expect_equal_bits(run_pass(model, leaf, Keep::inputs, one, TiedGradient::held),
                    run_pass(model, leaf, Keep::inputs, one, TiedGradient::computed_late));
}

TEST(LeafPass, GivesTheSameBitsAgainInTheSameMemory) {
  const SmallModel model(odd_shape());
  const SmallLeaf leaf(model.shape, {2, 33}), other(model.shape, {2, 33}, 9);
  OneWorker one;
  LeafPass pass(model.shape, leaf.shape, Keep::inputs, one);

  const auto first = run_pass(pass, model.weights(), leaf);
  run_pass(pass, model.weights(), other);

  expect_equal_bits(first, run_pass(pass, model.weights(), leaf));
}

TEST(LeafPass, ScoresASequenceAloneAndInABatchWithTheSameBits) {
  const SmallModel model(odd_shape());
  const SmallLeaf batch(model.shape, {3, 66});
  OneWorker one;
  const auto scores = [&](LeafShape shape, std::span<const TokenId> tokens, std::span<const TokenId> targets) {
    LeafPass pass(model.shape, shape, Keep::nothing, one);
    forward_blocks(pass, model.weights(), tokens);
    std::vector<float> logprobs(tokens.size());
    pass.score(head_of(model.shape, model.weights()), targets, {}, logprobs);
    return logprobs;
  };

  const auto together = scores(batch.shape, batch.tokens, batch.targets);

  for (std::size_t sequence = 0; sequence < 3; ++sequence) {
    const auto alone = scores({1, 66}, std::span(batch.tokens).subspan(sequence * 66, 66), std::span(batch.targets).subspan(sequence * 66, 66));
    EXPECT_TRUE(std::equal(alone.begin(), alone.end(), together.begin() + static_cast<std::ptrdiff_t>(sequence * 66))) << sequence;
    const auto prefix = scores({1, 20}, std::span(batch.tokens).subspan(sequence * 66, 20), std::span(batch.targets).subspan(sequence * 66, 20));
    EXPECT_TRUE(std::equal(prefix.begin(), prefix.end(), together.begin() + static_cast<std::ptrdiff_t>(sequence * 66))) << sequence;
  }
}

TEST(LeafPass, ScoresAndTrainsWithTheSameLogProbabilities) {
  const SmallModel model(odd_shape());
  const SmallLeaf leaf(model.shape, {2, 40});
  OneWorker one;
  std::vector<std::uint8_t> mask;
  for (const float weight : leaf.loss_weights) mask.push_back(weight != 0.0f);

  LeafPass pass(model.shape, leaf.shape, Keep::nothing, one);
  forward_blocks(pass, model.weights(), leaf.tokens);
  std::vector<float> logprobs(leaf.tokens.size());
  pass.score(head_of(model.shape, model.weights()), leaf.targets, mask, logprobs);

  EXPECT_EQ(logprobs, run_pass(model, leaf, Keep::inputs, one).logprobs);
}

TEST(LeafPass, StartsNearTheUniformLossWithSmallWeights) {
  SmallModel model(odd_shape());
  for (auto& weight : model.unit(embedding_unit())) weight *= 1e-4f;
  SmallLeaf leaf(model.shape, {1, 40});
  std::fill(leaf.loss_weights.begin(), leaf.loss_weights.end(), 1.0f / 40);
  OneWorker one;

  EXPECT_NEAR(run_pass(model, leaf, Keep::inputs, one).loss, std::log(37.0), 0.01);   // not log 48: padding is never predicted
}

TEST(LeafPass, NeverLearnsFromMaskedRows) {
  const SmallModel model(odd_shape());
  SmallLeaf leaf(model.shape, {2, 40});
  OneWorker one;
  const auto before = run_pass(model, leaf, Keep::inputs, one);

  for (std::size_t row = 0; row < leaf.targets.size(); ++row)
    if (leaf.loss_weights[row] == 0.0f) leaf.targets[row] = (leaf.targets[row] + 1) % 37;

  expect_equal_bits(before, run_pass(model, leaf, Keep::inputs, one));
}

TEST(LeafPass, HasNoGradientWhereEveryRowIsMasked) {
  const SmallModel model(odd_shape());
  SmallLeaf leaf(model.shape, {1, 40});
  std::fill(leaf.loss_weights.begin(), leaf.loss_weights.end(), 0.0f);
  OneWorker one;

  const auto result = run_pass(model, leaf, Keep::inputs, one);

  EXPECT_EQ(result.loss, 0.0);
  EXPECT_THAT(result.logprobs, Each(0.0f));
  for (const auto& gradient : result.gradients) EXPECT_THAT(gradient, Each(0.0f));
}

TEST(LeafPass, GivesPaddingRowsOfTheVocabularyNoGradient) {
  for (const ModelShape& shape : shapes()) {
    const SmallModel model(shape);
    OneWorker one;
    const auto result = run_pass(model, SmallLeaf(shape, {1, 40}), Keep::inputs, one);

    const auto padding = [&](const std::vector<float>& gradient) { return std::vector<float>(gradient.end() - (48 - 37) * 21, gradient.end()); };
    EXPECT_THAT(padding(result.gradients.front()), Each(0.0f));
    if (!shape.tied) {
      EXPECT_THAT(padding(result.gradients.back()), Each(0.0f));
    }
  }
}

TEST(LeafPass, SaysItsMemoryBeforehand) {
  const ModelShape shape = odd_shape();
  const LeafShape leaf{2, 40};
  const std::int64_t stream = 80 * 21 * 4;   // a multiple of 64

  const auto inputs = leaf_pass_bytes(shape, leaf, Keep::inputs, 1), everything = leaf_pass_bytes(shape, leaf, Keep::everything, 1);

  EXPECT_EQ(inputs.kept_activations, 3 * stream);
  EXPECT_GT(everything.kept_activations, inputs.kept_activations);
  EXPECT_EQ(leaf_pass_bytes(shape, leaf, Keep::nothing, 1).kept_activations, 0);
}

TEST(LeafPass, RefusesBuffersOfAnotherSize) {
  const SmallModel model(odd_shape());
  OneWorker one;
  LeafPass pass(model.shape, {1, 40}, Keep::nothing, one);
  std::vector<float> gradient(21);

  EXPECT_THROW(pass.embed(std::span(model.weights().front()).first(21), std::vector<TokenId>(40)), InternalError);
  EXPECT_THROW(pass.forward_block(0, model.weights().front()), InternalError);
  EXPECT_THROW(pass.loss(head_of(model.shape, model.weights()), std::vector<TokenId>(40), std::vector<float>(40), {}, gradient), InternalError);
  EXPECT_THROW(LeafPass(model.shape, {1, 81}, Keep::nothing, one), InternalError);
}

// Along a direction in one tensor the loss must change as the gradient says. Needs no second implementation; fp32 limits it to about a percent.
class Slope {
 public:
  explicit Slope(const ModelShape& shape)
      : model_(shape), leaf_(shape, {2, 37}), gradients_(run_pass(model_, leaf_, Keep::everything, one_).gradients) {}

  // The gradient's own direction, with some noise, so that it has parts that the gradient lacks.
  std::vector<double> direction(std::size_t unit, const NamedTensor& tensor) const {
    std::vector<double> direction;
    double squares = 0;
    for (std::int64_t i = 0; i < tensor.elements(); ++i) {
      direction.push_back(gradients_[unit][static_cast<std::size_t>(tensor.offset + i)]);
      squares += direction.back() * direction.back();
    }
    const double typical = std::sqrt(squares / static_cast<double>(tensor.elements()));
    for (std::size_t i = 0; i < direction.size(); ++i) direction[i] += 0.3 * typical * test_number(90 + unit, i);
    return direction;
  }
  double predicted(std::size_t unit, const NamedTensor& tensor, const std::vector<double>& direction) const {
    double slope = 0;
    for (std::size_t i = 0; i < direction.size(); ++i) slope += direction[i] * gradients_[unit][static_cast<std::size_t>(tensor.offset) + i];
    return slope;
  }
  double loss_at(std::size_t unit, const NamedTensor& tensor, const std::vector<double>& direction, double distance) {
    SmallModel moved = model_;
    for (std::size_t i = 0; i < direction.size(); ++i) {
      float& weight = moved.unit(static_cast<int>(unit))[static_cast<std::size_t>(tensor.offset) + i];
      weight = static_cast<float>(weight + distance * direction[i]);
    }
    return run_pass(moved, leaf_, Keep::everything, one_).loss;
  }

 private:
  OneWorker one_;
  SmallModel model_;
  SmallLeaf leaf_;
  std::vector<std::vector<float>> gradients_;
};

TEST(LeafPass, HasTheGradientThatFiniteDifferencesShow) {
  for (const ModelShape& shape : shapes()) {
    Slope slope(shape);
    const auto units = unit_tensors(shape);
    for (std::size_t unit = 0; unit < units.size(); ++unit)
      for (const auto& tensor : units[unit].tensors) {
        const auto direction = slope.direction(unit, tensor);
        const double predicted = slope.predicted(unit, tensor, direction);
        const double distance = 0.01 / predicted;   // the loss moves by 0.01 each way
        const double measured =
            (slope.loss_at(unit, tensor, direction, distance) - slope.loss_at(unit, tensor, direction, -distance)) / (2 * distance);
        EXPECT_NEAR(measured / predicted, 1.0, 0.01) << tensor.name << (shape.tied ? " tied" : " untied");
      }
  }
}

}   // namespace
}   // namespace lastro
