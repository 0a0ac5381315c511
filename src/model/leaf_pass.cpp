#include "model/leaf_pass.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "domain/errors.h"
#include "kernels/embedding.h"
#include "kernels/head.h"
#include "kernels/rmsnorm.h"
#include "kernels/rope.h"
#include "model/block.h"
#include "model/memory.h"
#include "model/tensors.h"

namespace lastro {

using kernels::ConstMatrix;
using kernels::Matrix;
using kernels::Start;

namespace {

// About 4 MiB of logits at a time: they stay in the cache between the product, the softmax and the gradients.
std::int64_t head_chunk_rows(const ModelShape& shape, LeafShape leaf) {
  return std::min(leaf.rows(), std::max<std::int64_t>(32, (std::int64_t{1} << 20) / shape.padded_vocabulary()));
}

kernels::HeadShape head_shape(const ModelShape& shape, LeafShape leaf) {
  return {leaf.rows(), shape.width, shape.vocabulary, head_chunk_rows(shape, leaf)};
}

// Where everything of a pass lies. Without memory it serves to count.
struct Layout {
  std::vector<Matrix> inputs;           // of block l, and the last one's output; all the same memory when nothing is kept
  std::vector<BlockActivations> made;   // of block l; all the same memory unless everything is kept
  BlockScratch scratch;
  Matrix d;   // gradient of the residual stream
  Matrix final_normed, dfinal_normed;
  float* final_inverse_rms = nullptr;
  std::int32_t* tokens = nullptr;
  std::int32_t* targets = nullptr;   // -1: a masked row
  float* dlogprobs = nullptr;
  float* logprobs = nullptr;
  float* cosines = nullptr;
  float* sines = nullptr;
  kernels::Workspace workspace;
};

std::size_t workspace_bytes(const ModelShape& shape, LeafShape leaf, int workers) {
  return std::max(block_workspace_bytes(shape, leaf, workers), kernels::embedding_workspace_bytes(leaf.rows(), shape.padded_vocabulary()));
}

void carve_stream(Layout& layout, ActivationCarver& carver, const ModelShape& shape, LeafShape leaf, Keep keep) {
  if (keep == Keep::nothing) {
    layout.inputs.assign(static_cast<std::size_t>(shape.layers + 1), carver.matrix(leaf.rows(), shape.width, MemoryClass::working));
  } else {
    for (std::int64_t layer = 0; layer <= shape.layers; ++layer) layout.inputs.push_back(carver.matrix(leaf.rows(), shape.width, MemoryClass::kept));
  }
  if (keep == Keep::everything) {
    for (std::int64_t layer = 0; layer < shape.layers; ++layer)
      layout.made.push_back(carve_block_activations(carver, shape, leaf, MemoryClass::kept));
  } else {
    layout.made.assign(static_cast<std::size_t>(shape.layers), carve_block_activations(carver, shape, leaf, MemoryClass::working));
  }
}

Layout lay_out(ActivationCarver& carver, const ModelShape& shape, LeafShape leaf, Keep keep, int workers) {
  Layout layout;
  const std::int64_t rows = leaf.rows();
  carve_stream(layout, carver, shape, leaf, keep);
  layout.final_normed = carver.matrix(rows, shape.width, MemoryClass::head);
  layout.final_inverse_rms = carver.take<float>(rows, MemoryClass::head);
  layout.tokens = carver.take<std::int32_t>(rows, MemoryClass::working);
  layout.targets = carver.take<std::int32_t>(rows, MemoryClass::head);
  layout.logprobs = carver.take<float>(rows, MemoryClass::head);
  if (keep != Keep::nothing) {
    layout.scratch = carve_block_scratch(carver, shape, leaf, MemoryClass::working);
    layout.d = carver.matrix(rows, shape.width, MemoryClass::working);
    layout.dfinal_normed = carver.matrix(rows, shape.width, MemoryClass::head);
    layout.dlogprobs = carver.take<float>(rows, MemoryClass::head);
  }
  layout.cosines = carver.take<float>(leaf.tokens * shape.head_dim / 2, MemoryClass::tables);
  layout.sines = carver.take<float>(leaf.tokens * shape.head_dim / 2, MemoryClass::tables);
  // Blocks and the head never run at once: one scratch serves both.
  layout.workspace = carver.workspace(
      std::max(workspace_bytes(shape, leaf, workers), kernels::head_workspace_bytes(head_shape(shape, leaf), workers)), MemoryClass::packing);
  return layout;
}

std::size_t total_bytes(const ModelShape& shape, LeafShape leaf, Keep keep, int workers) {
  ActivationCarver counting;
  lay_out(counting, shape, leaf, keep, workers);
  return counting.total();
}

void require(bool holds, const char* what) {
  if (!holds) throw InternalError(std::string("leaf pass: ") + what);
}

bool is_elements(std::size_t found, std::int64_t wanted) { return static_cast<std::int64_t>(found) == wanted; }

}   // namespace

LeafPassBytes leaf_pass_bytes(const ModelShape& shape, LeafShape leaf, Keep keep, int workers) {
  ActivationCarver counting;
  lay_out(counting, shape, leaf, keep, workers);
  return {counting.bytes_of(MemoryClass::kept), counting.bytes_of(MemoryClass::working), counting.bytes_of(MemoryClass::head),
          counting.bytes_of(MemoryClass::packing), counting.bytes_of(MemoryClass::tables)};
}

struct LeafPass::State {
  State(const ModelShape& model, LeafShape leaf_shape, Keep how_much, Workers& team)
      : shape(model),
        leaf(leaf_shape),
        keep(how_much),
        workers(team),
        memory(static_cast<std::int64_t>(total_bytes(model, leaf_shape, how_much, team.size())), "activations"),
        carver(memory),
        layout(lay_out(carver, model, leaf_shape, how_much, team.size())),
        units(unit_tensors(model)) {
    kernels::rope_tables(leaf.tokens, static_cast<int>(shape.head_dim), shape.rope_theta, layout.cosines, layout.sines);
  }

  BlockContext context() { return {shape, leaf, workers, {layout.cosines, layout.sines}, layout.workspace}; }
  Matrix& input_of(int layer) { return layout.inputs[static_cast<std::size_t>(layer)]; }
  const BlockActivations& made_by(int layer) { return layout.made[static_cast<std::size_t>(layer)]; }
  std::int64_t unit_elements(int unit) const { return units[static_cast<std::size_t>(unit)].elements(); }
  int layers() const { return static_cast<int>(shape.layers); }

  ConstMatrix output_matrix(const Head& head) const {
    require(is_elements(head.weights.size(), unit_elements(head_unit(shape))), "the head's weights have another size than the head");
    require(!shape.tied || is_elements(head.embedding.size(), unit_elements(embedding_unit())), "a tied head needs the embedding");
    const float* data = shape.tied ? head.embedding.data() : head.weights.data() + shape.width;
    return {data, shape.padded_vocabulary(), shape.width};
  }

  void final_norm(const Head& head) {
    kernels::rmsnorm_forward(workers, input_of(layers()), head.weights.data(), static_cast<float>(shape.norm_eps), layout.final_normed,
                             layout.final_inverse_rms);
  }

  template <class Counts>
  void set_targets(std::span<const TokenId> wanted, Counts row_counts) {
    for (std::size_t row = 0; row < wanted.size(); ++row) layout.targets[row] = row_counts(row) ? static_cast<std::int32_t>(wanted[row]) : -1;
  }

  std::size_t rows() const { return static_cast<std::size_t>(leaf.rows()); }
  std::span<const std::int32_t> targets() const { return {layout.targets, rows()}; }
  std::span<const std::int32_t> tokens() const { return {layout.tokens, rows()}; }
  std::span<float> logprobs() const { return {layout.logprobs, rows()}; }
  std::span<const float> dlogprobs() const { return {layout.dlogprobs, rows()}; }

  // Through the head once more or for the first time; a gradient that is not wanted is an empty matrix.
  void head_gradients(ConstMatrix output, Matrix dx, Matrix doutput) {
    kernels::head_forward_backward(workers, head_shape(shape, leaf), layout.final_normed, output, targets(), dlogprobs(), logprobs(), dx, doutput,
                                   Start::zero, layout.workspace);
  }

  // Makes the inside of block `layer` again unless it is still there.
  void make_again(int layer, const BlockParts<const float>& weights) {
    if (keep == Keep::everything || made_of == layer) return;
    block_forward_inside(context(), weights, input_of(layer), made_by(layer));
    made_of = layer;
  }

  ModelShape shape;
  LeafShape leaf;
  Keep keep;
  Workers& workers;
  Region memory;
  ActivationCarver carver;
  Layout layout;
  std::vector<UnitTensors> units;
  int made_of = -1;                                  // whose inside the shared activations hold
  const float* begun_embedding_gradient = nullptr;   // where the tied output matrix's gradient is, if it is anywhere
};

LeafPass::LeafPass(const ModelShape& shape, LeafShape leaf, Keep keep, Workers& workers) {
  require(leaf.rows() > 0 && leaf.tokens <= shape.context, "a leaf has tokens, and no more a sequence than the model's context");
  state_ = std::make_unique<State>(shape, leaf, keep, workers);
}
LeafPass::LeafPass(LeafPass&&) noexcept = default;
LeafPass& LeafPass::operator=(LeafPass&&) noexcept = default;
LeafPass::~LeafPass() = default;

const ModelShape& LeafPass::shape() const { return state_->shape; }
LeafShape LeafPass::leaf() const { return state_->leaf; }

std::span<const float> LeafPass::hidden() const {
  return {state_->input_of(state_->layers()).data, static_cast<std::size_t>(state_->leaf.rows() * state_->shape.width)};
}

void LeafPass::embed(std::span<const float> embedding, std::span<const TokenId> tokens) {
  auto& s = *state_;
  require(is_elements(tokens.size(), s.leaf.rows()), "tokens are not as many as the leaf has rows");
  require(is_elements(embedding.size(), s.unit_elements(embedding_unit())), "the embedding has another size than the unit");
  for (std::size_t row = 0; row < tokens.size(); ++row) s.layout.tokens[row] = static_cast<std::int32_t>(tokens[row]);
  const ConstMatrix table{embedding.data(), s.shape.vocabulary, s.shape.width};   // padding rows are no one's token
  kernels::embedding_forward(s.workers, s.tokens(), table, s.input_of(0));
  s.made_of = -1;
}

void LeafPass::forward_block(int layer, std::span<const float> weights) {
  auto& s = *state_;
  require(is_elements(weights.size(), s.unit_elements(block_unit(layer))), "a block's weights have another size than the unit");
  const auto parts = block_parts(s.shape, weights);
  block_forward_inside(s.context(), parts, s.input_of(layer), s.made_by(layer));
  block_forward_out(s.context(), parts, s.made_by(layer), s.input_of(layer + 1));
  s.made_of = layer;
}

void LeafPass::score(Head head, std::span<const TokenId> targets, std::span<const std::uint8_t> mask, std::span<float> logprobs) {
  auto& s = *state_;
  require(targets.size() == s.rows() && logprobs.size() == s.rows() && (mask.empty() || mask.size() == s.rows()),
          "targets, mask and log-probabilities are one a row");
  const ConstMatrix output = s.output_matrix(head);
  s.set_targets(targets, [&](std::size_t row) { return mask.empty() || mask[row] != 0; });
  s.final_norm(head);
  kernels::head_log_probs(s.workers, head_shape(s.shape, s.leaf), s.layout.final_normed, output, s.targets(), logprobs, s.layout.workspace);
}

double LeafPass::loss(Head head, std::span<const TokenId> targets, std::span<const float> loss_weights, std::span<float> logprobs,
                      std::span<float> gradient, std::span<float> embedding_gradient) {
  auto& s = *state_;
  require(s.keep != Keep::nothing, "a pass that keeps nothing has no backward");
  require(targets.size() == s.rows() && loss_weights.size() == s.rows() && (logprobs.empty() || logprobs.size() == s.rows()),
          "targets, weights and log-probabilities are one a row");
  require(is_elements(gradient.size(), s.unit_elements(head_unit(s.shape))), "the head's gradient has another size than the unit");
  const ConstMatrix output = s.output_matrix(head);
  const Matrix doutput_of_tied{embedding_gradient.data(), embedding_gradient.empty() ? 0 : s.shape.padded_vocabulary(), s.shape.width};
  const Matrix doutput = s.shape.tied ? doutput_of_tied : Matrix{gradient.data() + s.shape.width, s.shape.padded_vocabulary(), s.shape.width};
  s.begun_embedding_gradient = s.shape.tied ? embedding_gradient.data() : nullptr;

  s.set_targets(targets, [&](std::size_t row) { return loss_weights[row] != 0.0f; });
  for (std::size_t row = 0; row < s.rows(); ++row) s.layout.dlogprobs[row] = -loss_weights[row];
  s.final_norm(head);
  s.head_gradients(output, s.layout.dfinal_normed, doutput);
  const Matrix x = s.input_of(s.layers());
  kernels::rmsnorm_backward_weight(s.workers, x, s.layout.final_inverse_rms, s.layout.dfinal_normed, gradient.data(), Start::zero);
  kernels::rmsnorm_backward_input(s.workers, x, head.weights.data(), s.layout.final_inverse_rms, s.layout.dfinal_normed, {}, s.layout.d);

  if (!logprobs.empty()) std::copy(s.logprobs().begin(), s.logprobs().end(), logprobs.begin());
  double loss = 0;
  for (std::size_t row = 0; row < s.rows(); ++row)
    if (s.layout.targets[row] >= 0) loss = std::fma(-static_cast<double>(loss_weights[row]), static_cast<double>(s.layout.logprobs[row]), loss);
  return loss;
}

void LeafPass::backward_block(int layer, std::span<const float> weights, std::span<float> gradient) {
  auto& s = *state_;
  const std::int64_t elements = s.unit_elements(block_unit(layer));
  require(is_elements(weights.size(), elements) && is_elements(gradient.size(), elements),
          "a block's weights or gradient have another size than the unit");
  const auto parts = block_parts(s.shape, weights);
  s.make_again(layer, parts);
  block_backward(s.context(), parts, s.input_of(layer), s.made_by(layer), s.layout.scratch, s.layout.d, block_parts(s.shape, gradient));
  s.made_of = -1;
}

void LeafPass::backward_embedding(std::span<const float> embedding, std::span<float> gradient) {
  auto& s = *state_;
  const std::int64_t elements = s.unit_elements(embedding_unit());
  require(is_elements(gradient.size(), elements), "the embedding's gradient has another size than the unit");
  const Matrix dtable{gradient.data(), s.shape.padded_vocabulary(), s.shape.width};
  if (s.shape.tied && !s.begun_embedding_gradient) {
    require(is_elements(embedding.size(), elements), "a tied head's gradient needs the embedding");
    s.head_gradients({embedding.data(), s.shape.padded_vocabulary(), s.shape.width}, {}, dtable);
  } else if (s.shape.tied) {
    require(s.begun_embedding_gradient == gradient.data(), "the tied gradient goes on in the buffer where it began");
  }
  kernels::embedding_backward(s.workers, s.tokens(), s.layout.d, dtable, s.shape.tied ? Start::output : Start::zero, s.layout.workspace);
  s.begun_embedding_gradient = nullptr;
}

}   // namespace lastro
