#pragma once

#include <cstdint>

#include "model/leaf_pass.h"
#include "model/shape.h"

namespace lastro {

// Floating-point operations of one leaf: a multiply-add counts 2. Products and attention are exact (causal: only keys a query sees);
// elementwise work is not counted, as is custom.
struct LeafFlops {
  std::int64_t forward = 0;
  std::int64_t backward = 0;
  std::int64_t recompute = 0;   // spent again to save memory: blocks under Keep::inputs, logits of a tied head
  std::int64_t total() const { return forward + backward + recompute; }
  std::int64_t useful() const { return forward + backward; }
};
LeafFlops leaf_flops(const ModelShape& shape, LeafShape leaf, Keep keep);

// The field's estimate, 6 x parameters x tokens, for training; padding rows of the vocabulary included.
std::int64_t six_n_d(const ModelShape& shape, std::int64_t tokens);

}   // namespace lastro
