#pragma once

#include <span>

namespace lastro::kernels {

// The row sum of the rules: lane l adds x[l], x[l + 16], ... from +0; then the tree lane i + lane i+8, +4, +2, +1.
float row_sum(std::span<const float> x);

}   // namespace lastro::kernels
