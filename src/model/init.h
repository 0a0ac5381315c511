#pragma once

#include <cstdint>
#include <span>

#include "core/checkpoint.h"
#include "model/shape.h"

namespace lastro {

// Writes initial weights of `part` (an interval of the unit's flat vector) to `values` (part.size() numbers). A weight depends on
// (seed, tensor name, index in the tensor) alone, so any rank fills any interval. Norms are 1. Matrices are normal with standard deviation
// shape.init_std; o_proj and down_proj, which add to the residual stream, have init_std / sqrt(2 layers). Padding rows of the vocabulary are 0.
void initialise(const ModelShape& shape, std::uint64_t seed, int unit, Interval part, std::span<float> values);

}   // namespace lastro
