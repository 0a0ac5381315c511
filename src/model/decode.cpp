#include "model/decode.h"

#include <algorithm>
#include <string>

#include "domain/errors.h"
#include "kernels/attention.h"
#include "kernels/embedding.h"
#include "kernels/head.h"
#include "kernels/linear.h"
#include "kernels/rmsnorm.h"
#include "kernels/rope.h"
#include "model/block.h"
#include "model/leaf_pass.h"
#include "model/memory.h"

namespace lastro {

using kernels::Matrix;

namespace {

// Consecutive rows of a batch that belong to one sequence.
struct Run {
  std::int64_t sequence;
  std::int64_t first_row;
  std::int64_t rows;
};

struct Cache {
  Matrix keys, values;   // [sequences * context, kv_width]
};

struct Layout {
  std::vector<Cache> caches;   // of each layer
  Matrix x, final_normed;
  float* final_inverse_rms = nullptr;
  BlockActivations made;
  std::int32_t* tokens = nullptr;
  float* cosines = nullptr;
  float* sines = nullptr;
  kernels::Workspace workspace;
};

kernels::AttentionShape attention_shape(const ModelShape& shape, std::int64_t queries, std::int64_t first_position) {
  kernels::AttentionShape attention;
  attention.queries = queries;
  attention.first_position = first_position;
  attention.key_capacity = shape.context;
  attention.heads = static_cast<int>(shape.heads);
  attention.kv_heads = static_cast<int>(shape.kv_heads);
  attention.head_dim = static_cast<int>(shape.head_dim);
  attention.scale = attention_scale(shape);
  return attention;
}

std::size_t workspace_bytes(const ModelShape& shape, std::int64_t rows, int workers) {
  const std::int64_t queries = std::min(rows, shape.context);
  return std::max({block_workspace_bytes(shape, {1, rows}, workers),
                   kernels::attention_forward_workspace_bytes(attention_shape(shape, queries, shape.context - queries), workers)});
}

Layout lay_out(ActivationCarver& carver, const ModelShape& shape, std::int64_t sequences, std::int64_t rows, int workers) {
  Layout layout;
  for (std::int64_t layer = 0; layer < shape.layers; ++layer) {
    const std::int64_t positions = sequences * shape.context;
    layout.caches.push_back(
        {carver.matrix(positions, shape.kv_width(), MemoryClass::kv_cache), carver.matrix(positions, shape.kv_width(), MemoryClass::kv_cache)});
  }
  layout.x = carver.matrix(rows, shape.width, MemoryClass::working);
  layout.final_normed = carver.matrix(rows, shape.width, MemoryClass::working);
  layout.final_inverse_rms = carver.take<float>(rows, MemoryClass::working);
  layout.made = carve_block_activations(carver, shape, {1, rows}, MemoryClass::working);
  layout.tokens = carver.take<std::int32_t>(rows, MemoryClass::working);
  layout.cosines = carver.take<float>(shape.context * shape.head_dim / 2, MemoryClass::tables);
  layout.sines = carver.take<float>(shape.context * shape.head_dim / 2, MemoryClass::tables);
  layout.workspace = carver.workspace(workspace_bytes(shape, rows, workers), MemoryClass::packing);
  return layout;
}

std::int64_t rows_at_once(std::int64_t sequences, std::int64_t tokens_per_step) { return std::max(sequences, tokens_per_step); }

void copy_rows(kernels::ConstMatrix from, Matrix to) {
  for (std::int64_t row = 0; row < from.rows; ++row) std::copy_n(from.row(row), from.columns, to.row(row));
}

}   // namespace

DecoderBytes decoder_bytes(const ModelShape& shape, std::int64_t sequences, std::int64_t tokens_per_step, int workers) {
  ActivationCarver counting;
  lay_out(counting, shape, sequences, rows_at_once(sequences, tokens_per_step), workers);
  return {counting.bytes_of(MemoryClass::kv_cache), counting.bytes_of(MemoryClass::working), counting.bytes_of(MemoryClass::packing),
          counting.bytes_of(MemoryClass::tables)};
}

struct Decoder::State {
  State(const ModelShape& model, ModelWeights all_weights, std::int64_t sequences, std::int64_t tokens_per_step, Workers& team)
      : shape(model),
        weights(std::move(all_weights)),
        rows(rows_at_once(sequences, tokens_per_step)),
        workers(team),
        memory(static_cast<std::int64_t>(decoder_bytes(model, sequences, tokens_per_step, team.size()).total()), "the decoder"),
        carver(memory),
        layout(lay_out(carver, model, sequences, rows, team.size())),
        positions(static_cast<std::size_t>(sequences), 0) {
    kernels::rope_tables(shape.context, static_cast<int>(shape.head_dim), shape.rope_theta, layout.cosines, layout.sines);
    runs.reserve(static_cast<std::size_t>(rows));
  }

  std::int64_t& position(std::int64_t sequence) { return positions.at(static_cast<std::size_t>(sequence)); }

  void check(const Run& run) {
    if (position(run.sequence) + run.rows > shape.context)
      throw UsageError("the text has more than " + std::to_string(shape.context) + " tokens (the model's context) shorten it");
  }
  void check(std::span<const TokenId> ids) {
    for (const TokenId id : ids)
      if (id >= shape.vocabulary)
        throw UsageError("token " + std::to_string(id) + " (the model's vocabulary has " + std::to_string(shape.vocabulary) +
                         ") was it made by another tokenizer?");
  }

  // The rows of a run turn by their own positions, join the cache, and see it.
  void attend(const Cache& cache, const Run& run, const BlockActivations& made) {
    const auto rows_of = [&](Matrix whole) { return whole.rows_from(run.first_row, run.rows); };
    const auto qkv = qkv_columns(shape, rows_of(made.qkv));
    const std::int64_t begin = position(run.sequence);
    const int head_dim = static_cast<int>(shape.head_dim);
    kernels::rope(workers, qkv.q, static_cast<int>(shape.heads), head_dim, run.rows, begin, layout.cosines, layout.sines, kernels::Turn::forward);
    kernels::rope(workers, qkv.k, static_cast<int>(shape.kv_heads), head_dim, run.rows, begin, layout.cosines, layout.sines, kernels::Turn::forward);
    const std::int64_t origin = run.sequence * shape.context;
    copy_rows(qkv.k, cache.keys.rows_from(origin + begin, run.rows));
    copy_rows(qkv.v, cache.values.rows_from(origin + begin, run.rows));
    kernels::attention_forward(workers, attention_shape(shape, run.rows, begin), qkv.q, cache.keys.rows_from(origin, shape.context),
                               cache.values.rows_from(origin, shape.context), rows_of(made.mixed), nullptr, layout.workspace);
  }

  // Takes `tokens` of all runs through the blocks; returns the hidden states.
  Matrix go(std::span<const TokenId> ids) {
    const auto count = static_cast<std::int64_t>(ids.size());
    std::transform(ids.begin(), ids.end(), layout.tokens, [](TokenId id) { return static_cast<std::int32_t>(id); });
    const Matrix x = layout.x.rows_from(0, count);
    kernels::embedding_forward(workers, {layout.tokens, ids.size()}, {weights.front().data(), shape.vocabulary, shape.width}, x);
    const BlockActivations made = first_rows(layout.made, count);
    const BlockContext context{shape, {1, count}, workers, {layout.cosines, layout.sines}, layout.workspace};
    for (std::int64_t layer = 0; layer < shape.layers; ++layer) {
      const auto parts = block_parts(shape, weights[static_cast<std::size_t>(block_unit(static_cast<int>(layer)))]);
      block_forward_qkv(context, parts, x, made);
      for (const Run& run : runs) attend(layout.caches[static_cast<std::size_t>(layer)], run, made);
      block_forward_ffn(context, parts, x, made);
      block_forward_out(context, parts, made, x);
    }
    for (const Run& run : runs) position(run.sequence) += run.rows;
    return x;
  }

  void write_logits(Matrix x, std::span<float> logits) {
    const auto& head = weights.back();
    const float* output = shape.tied ? weights.front().data() : head.data() + shape.width;
    const Matrix normed = layout.final_normed.rows_from(0, x.rows);
    kernels::rmsnorm_forward(workers, x, head.data(), static_cast<float>(shape.norm_eps), normed, layout.final_inverse_rms);
    kernels::head_logits(workers, normed, {output, shape.vocabulary, shape.width}, {logits.data(), x.rows, shape.vocabulary}, layout.workspace);
  }

  ModelShape shape;
  ModelWeights weights;
  std::int64_t rows;
  Workers& workers;
  Region memory;
  ActivationCarver carver;
  Layout layout;
  std::vector<std::int64_t> positions;
  std::vector<Run> runs;
};

Decoder::Decoder(const ModelShape& shape, ModelWeights weights, std::int64_t sequences, std::int64_t tokens_per_step, Workers& workers)
    : state_(std::make_unique<State>(shape, std::move(weights), sequences, tokens_per_step, workers)) {}
Decoder::Decoder(Decoder&&) noexcept = default;
Decoder& Decoder::operator=(Decoder&&) noexcept = default;
Decoder::~Decoder() = default;

const ModelShape& Decoder::shape() const { return state_->shape; }
std::int64_t Decoder::tokens_per_append() const { return state_->rows; }
std::int64_t Decoder::position(std::int64_t sequence) const { return state_->position(sequence); }
void Decoder::clear(std::int64_t sequence) { state_->position(sequence) = 0; }

void Decoder::append(std::int64_t sequence, std::span<const TokenId> tokens, std::span<float> logits) {
  auto& s = *state_;
  const auto count = static_cast<std::int64_t>(tokens.size());
  if (count < 1 || count > s.rows || static_cast<std::int64_t>(logits.size()) != s.shape.vocabulary)
    throw InternalError("decoder: append takes 1 to " + std::to_string(s.rows) + " tokens and gives one row of logits");
  s.runs.assign(1, {sequence, 0, count});
  s.check(s.runs.front());
  s.check(tokens);
  s.write_logits(s.go(tokens).rows_from(count - 1, 1), logits);
}

void Decoder::step(std::span<const std::int64_t> sequences, std::span<const TokenId> tokens, std::span<float> logits) {
  auto& s = *state_;
  if (sequences.empty() || sequences.size() != tokens.size() || static_cast<std::int64_t>(tokens.size()) > s.rows ||
      static_cast<std::int64_t>(logits.size()) != static_cast<std::int64_t>(tokens.size()) * s.shape.vocabulary)
    throw InternalError("decoder: step takes one token and gives one row of logits for each sequence named");
  s.runs.clear();
  for (std::size_t row = 0; row < sequences.size(); ++row) s.runs.push_back({sequences[row], static_cast<std::int64_t>(row), 1});
  for (const Run& run : s.runs) s.check(run);
  s.check(tokens);
  s.write_logits(s.go(tokens), logits);
}

std::vector<float> token_logprobs(const ModelShape& shape, const ModelWeights& weights, std::span<const TokenId> tokens, Workers& workers) {
  if (tokens.size() < 2) return {};
  const auto rows = static_cast<std::int64_t>(tokens.size()) - 1;
  if (rows > shape.context)
    throw UsageError("the text has " + std::to_string(tokens.size()) + " tokens (the model's context is " + std::to_string(shape.context) +
                     ", and one more can be scored) cut it into windows");
  for (const TokenId token : tokens)
    if (token >= shape.vocabulary)
      throw UsageError("token " + std::to_string(token) + " (the model's vocabulary has " + std::to_string(shape.vocabulary) +
                       ") was it made by another tokenizer?");
  LeafPass pass(shape, {1, rows}, Keep::nothing, workers);
  pass.embed(weights.front(), tokens.first(tokens.size() - 1));
  for (int layer = 0; layer < shape.layers; ++layer) pass.forward_block(layer, weights[static_cast<std::size_t>(block_unit(layer))]);
  std::vector<float> logprobs(static_cast<std::size_t>(rows));
  pass.score({weights.back(), shape.tied ? weights.front() : std::span<const float>{}}, tokens.subspan(1), {}, logprobs);
  return logprobs;
}

}   // namespace lastro
