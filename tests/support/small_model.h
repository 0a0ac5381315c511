#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/random.h"
#include "domain/workers.h"
#include "model/leaf_pass.h"
#include "model/tensors.h"

namespace lastro {

// A model small enough to check by other means, of odd sizes: nothing is a multiple of a vector, a tile or a key block.
inline ModelShape odd_shape() {
  ModelShape shape;
  shape.vocabulary = 37;
  shape.vocabulary_multiple = 16;
  shape.width = 21;
  shape.layers = 2;
  shape.heads = 3;
  shape.kv_heads = 1;
  shape.head_dim = 8;
  shape.ffn = 27;
  shape.context = 80;
  shape.tied = true;
  return shape;
}

inline float test_number(std::uint64_t what, std::uint64_t index) {
  return static_cast<float>(2.0 * random_unit(7, Purpose::test, what, index) - 1.0);
}

// Weights large enough that every part of the model matters; norms around 1; padding rows of the vocabulary are 0.
class SmallModel {
 public:
  explicit SmallModel(const ModelShape& shape_of_model) : shape(shape_of_model) {
    const auto units = unit_tensors(shape);
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
      auto& flat = units_.emplace_back(static_cast<std::size_t>(units[unit].elements()));
      for (const auto& tensor : units[unit].tensors) fill(tensor, unit * 100, std::span(flat).subspan(static_cast<std::size_t>(tensor.offset)));
    }
  }

  ModelWeights weights() const { return {units_.begin(), units_.end()}; }
  std::vector<float>& unit(int index) { return units_[static_cast<std::size_t>(index)]; }

  ModelShape shape;

 private:
  void fill(const NamedTensor& tensor, std::uint64_t salt, std::span<float> values) {
    const bool by_token = tensor.rows == shape.padded_vocabulary() && !tensor.is_vector;
    const std::int64_t true_elements = by_token ? shape.vocabulary * tensor.columns : tensor.elements();
    for (std::int64_t i = 0; i < true_elements; ++i) {
      const float number = test_number(1 + salt + static_cast<std::uint64_t>(tensor.offset), static_cast<std::uint64_t>(i));
      values[static_cast<std::size_t>(i)] = tensor.is_vector ? 1.0f + 0.3f * number : 0.35f * number;
    }
  }
  std::vector<std::vector<float>> units_;
};

// Tokens, targets and loss weights of a leaf; about a quarter of the rows are masked.
struct SmallLeaf {
  LeafShape shape;
  std::vector<TokenId> tokens, targets;
  std::vector<float> loss_weights;

  SmallLeaf(const ModelShape& model, LeafShape leaf, std::uint64_t salt = 0) : shape(leaf) {
    for (std::int64_t row = 0; row < leaf.rows(); ++row) {
      const auto at = static_cast<std::uint64_t>(row);
      tokens.push_back(static_cast<TokenId>(random_u64(7, Purpose::test, 50 + salt, at) % static_cast<std::uint64_t>(model.vocabulary)));
      targets.push_back(static_cast<TokenId>(random_u64(7, Purpose::test, 51 + salt, at) % static_cast<std::uint64_t>(model.vocabulary)));
      const float weight = test_number(52 + salt, at);
      loss_weights.push_back(weight < -0.5f ? 0.0f : 0.01f + 0.05f * (1.0f + weight));
    }
  }
};

struct PassResult {
  double loss = 0;
  std::vector<float> logprobs;
  std::vector<std::vector<float>> gradients;   // of each unit
};

// Where the tied output matrix's gradient goes: nowhere until the end, or to the embedding's buffer at once.
enum class TiedGradient { computed_late, held };

inline void forward_blocks(LeafPass& pass, const ModelWeights& weights, std::span<const TokenId> tokens) {
  pass.embed(weights.front(), tokens);
  for (int layer = 0; layer < pass.shape().layers; ++layer) pass.forward_block(layer, weights[static_cast<std::size_t>(block_unit(layer))]);
}

inline LeafPass::Head head_of(const ModelShape& shape, const ModelWeights& weights) {
  return {weights.back(), shape.tied ? weights.front() : std::span<const float>{}};
}

// A whole training pass in the order that LeafPass documents.
inline PassResult run_pass(LeafPass& pass, const ModelWeights& weights, const SmallLeaf& leaf, TiedGradient tied = TiedGradient::computed_late) {
  const ModelShape& shape = pass.shape();
  PassResult result;
  result.logprobs.resize(leaf.tokens.size());
  for (const auto& unit : unit_tensors(shape)) result.gradients.emplace_back(static_cast<std::size_t>(unit.elements()), -7.0f);
  const auto head = head_of(shape, weights);
  const bool hold = shape.tied && tied == TiedGradient::held;

  forward_blocks(pass, weights, leaf.tokens);
  result.loss = pass.loss(head, leaf.targets, leaf.loss_weights, result.logprobs, result.gradients.back(),
                          hold ? std::span(result.gradients.front()) : std::span<float>{});
  for (int layer = static_cast<int>(shape.layers) - 1; layer >= 0; --layer) {
    const auto unit = static_cast<std::size_t>(block_unit(layer));
    pass.backward_block(layer, weights[unit], result.gradients[unit]);
  }
  pass.backward_embedding(head.embedding, result.gradients.front());
  return result;
}

inline PassResult run_pass(const SmallModel& model, const SmallLeaf& leaf, Keep keep, Workers& workers,
                           TiedGradient tied = TiedGradient::computed_late) {
  LeafPass pass(model.shape, leaf.shape, keep, workers);
  return run_pass(pass, model.weights(), leaf, tied);
}

}   // namespace lastro
