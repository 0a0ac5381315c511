#pragma once

#include <cstdint>
#include <span>

#include "domain/workers.h"

// Arithmetic on intervals of flat vectors. Element by element, so an interval's bits do not depend on how the vector is cut.
namespace lastro::kernels {

// AdamW (Loshchilov and Hutter 2019):
//   g = gradient * gradient_factor;  m = beta1 m + (1 - beta1) g;  v = beta2 v + (1 - beta2) g^2
//   parameter = parameter (1 - lr decay) - lr (m / (1 - beta1^step)) / (sqrt(v / (1 - beta2^step)) + epsilon)
// Factors are computed in fp64 from these settings (powers by repeated squaring) and rounded once.
struct AdamwSettings {
  double lr = 0;
  double beta1 = 0.9;
  double beta2 = 0.95;
  double epsilon = 1e-8;
  double weight_decay = 0;
  std::int64_t step = 1;       // counts from 1: updates made, this one included
  float gradient_factor = 1;   // clip factor, 1 / token count and the like, as one factor
};
// All spans have equal length. A step to be skipped is not called.
void adamw(Workers& workers, const AdamwSettings& settings, std::span<float> parameters, std::span<float> m, std::span<float> v,
           std::span<const float> gradient);

// tile_sums[i] = sum of squares of the i-th `tile` elements of x (the last tile may be short; missing elements count as 0): 16 lanes, then
// the tree of kernels/reduce.h, in fp32; then widened, so that the tree over tiles below may run in fp64.
void tile_sums_of_squares(Workers& workers, std::span<const float> x, std::int64_t tile, std::span<double> tile_sums);

// Sum by a fixed tree: with h = ceil(n / 2), element i + h is added to element i, until one is left. Overwrites `values`. Empty: 0.
double tree_sum(std::span<double> values);

// min(1, max_norm / norm) as Megatron and PyTorch clip (norm + 1e-6), in fp64, rounded once; 1 when max_norm <= 0.
float clip_factor(double sum_of_squares, double max_norm);

void scale(Workers& workers, std::span<float> x, float factor);                       // x *= factor
void add(Workers& workers, std::span<float> accumulator, std::span<const float> x);   // accumulator += x
void fill(Workers& workers, std::span<float> x, float value);

}   // namespace lastro::kernels
