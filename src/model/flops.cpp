#include "model/flops.h"

#include "model/tensors.h"

namespace lastro {

namespace {

struct BlockFlops {
  std::int64_t products_before_down;
  std::int64_t down;
  std::int64_t attention_pairs;   // (query, key) pairs over heads and sequences, times head_dim
};

BlockFlops block_flops(const ModelShape& shape, LeafShape leaf) {
  const std::int64_t rows = leaf.rows();
  return {2 * rows * shape.width * (shape.qkv_width() + shape.query_width() + 2 * shape.ffn), 2 * rows * shape.width * shape.ffn,
          leaf.sequences * shape.heads * (leaf.tokens * (leaf.tokens + 1) / 2) * shape.head_dim};
}

}   // namespace

LeafFlops leaf_flops(const ModelShape& shape, LeafShape leaf, Keep keep) {
  const auto [products, down, pairs] = block_flops(shape, leaf);
  const std::int64_t logits = 2 * leaf.rows() * shape.padded_vocabulary() * shape.width;
  // Attention: scores and values forward; scores again, and the gradients of probabilities, values, queries and keys backward.
  const std::int64_t block_forward = products + down + 4 * pairs;
  const std::int64_t block_backward = 2 * (products + down) + 10 * pairs;
  LeafFlops flops;
  flops.forward = shape.layers * block_forward + logits;
  if (keep == Keep::nothing) return flops;
  flops.backward = shape.layers * block_backward + 2 * logits;
  // The last block's inside is still there when the backward pass begins; and nothing in a backward pass needs a block's output.
  if (keep == Keep::inputs) flops.recompute += (shape.layers - 1) * (block_forward - down);
  if (shape.tied) flops.recompute += logits;
  return flops;
}

std::int64_t six_n_d(const ModelShape& shape, std::int64_t tokens) { return 6 * parameter_count(shape) * tokens; }

}   // namespace lastro
