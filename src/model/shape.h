#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "core/settings.h"

namespace lastro {

// What a Llama-class decoder looks like: RMSNorm before attention and feed-forward, rotary positions (rotate-half), grouped-query
// attention, SwiGLU, no biases. Also the `model:` mapping of a training stage's settings.
struct ModelShape {
  std::int64_t vocabulary = 0;   // tokens; 0 in a manifest: the tokenizer's
  std::int64_t width = 256;
  std::int64_t layers = 6;
  std::int64_t heads = 4;
  std::int64_t kv_heads = 2;
  std::int64_t head_dim = 0;   // 0 in a manifest: width / heads
  std::int64_t ffn = 704;
  std::int64_t context = 256;
  bool tied = true;
  double rope_theta = 10000.0;
  double norm_eps = 1e-5;
  double init_std = 0.02;
  std::int64_t vocabulary_multiple = 64;

  static constexpr std::tuple fields{
      field("vocabulary", &ModelShape::vocabulary,
            {.doc = "tokens the model knows; 0: as many as the tokenizer has", .unit = "tokens", .min = 0, .max = 16777216}),
      field("width", &ModelShape::width, {.doc = "length of the residual stream", .unit = "numbers", .min = 1, .max = 1048576}),
      field("layers", &ModelShape::layers, {.doc = "decoder blocks", .unit = "blocks", .min = 1, .max = 10000}),
      field("heads", &ModelShape::heads, {.doc = "query heads of attention", .unit = "heads", .min = 1, .max = 65536}),
      field("kv_heads", &ModelShape::kv_heads, {.doc = "key and value heads; divides heads", .unit = "heads", .min = 1, .max = 65536}),
      field("head_dim", &ModelShape::head_dim,
            {.doc = "length of a head's vectors, a multiple of 8; 0: width / heads", .unit = "numbers", .min = 0, .max = 128}),
      field("ffn", &ModelShape::ffn, {.doc = "inner length of the feed-forward", .unit = "numbers", .min = 1, .max = 4194304}),
      field("context", &ModelShape::context, {.doc = "longest sequence", .unit = "tokens", .min = 1, .max = 16777216}),
      field("tied", &ModelShape::tied, {.doc = "the output matrix is the embedding"}),
      field("rope_theta", &ModelShape::rope_theta, {.doc = "base of the rotary wavelengths", .min = 1.0}),
      field("norm_eps", &ModelShape::norm_eps, {.doc = "added to the mean square in RMSNorm", .above = 0.0, .max = 1.0}),
      field("init_std", &ModelShape::init_std,
            {.doc = "standard deviation of initial weights; o_proj and down_proj get it divided by sqrt(2 layers)", .min = 0.0, .max = 10.0}),
      field("vocabulary_multiple", &ModelShape::vocabulary_multiple,
            {.doc = "rows of the embedding are padded to a multiple of this; padding is never predicted", .unit = "tokens", .min = 1, .max = 65536})};

  // Sizes of a complete shape (see `complete`).
  std::int64_t padded_vocabulary() const { return (vocabulary + vocabulary_multiple - 1) / vocabulary_multiple * vocabulary_multiple; }
  std::int64_t query_width() const { return heads * head_dim; }
  std::int64_t kv_width() const { return kv_heads * head_dim; }
  std::int64_t qkv_width() const { return query_width() + 2 * kv_width(); }

  bool operator==(const ModelShape&) const = default;
};

// What is wrong between fields; empty when nothing is. Ranges of single fields are checked by `fields`.
std::vector<CrossProblem> cross_problems(const ModelShape& shape);

// The shape with nothing left to be derived: head_dim filled in, and `vocabulary` the tokenizer's size where it was 0.
// Throws UsageError on cross problems, and when the tokenizer has more tokens than the vocabulary.
ModelShape complete(ModelShape shape, std::int64_t tokenizer_size);

// The shape as a mapping with the names of `fields`, and back. A checkpoint's record carries it. Throws ContractError on a missing or wrong entry.
Node to_node(const ModelShape& shape);
ModelShape model_shape_from(const Node& node);

}   // namespace lastro
