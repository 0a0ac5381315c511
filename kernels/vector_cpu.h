#pragma once

#include <cstdint>

#include "cpu/table.h"
#include "element/adamw_factors.h"

namespace lastro::kernels {

struct VectorEntries {
  void (*adamw)(const AdamwFactors& factors, std::int64_t count, float* parameters, float* m, float* v, const float* gradient);
  float (*sum)(const float* x, std::int64_t count);
  float (*sum_of_squares)(const float* x, std::int64_t count);
  void (*scale)(float* x, std::int64_t count, float factor);
  void (*add)(float* accumulator, const float* x, std::int64_t count);
  float (*multiply_add_rounds)(std::int64_t rounds);   // each round: multiply_adds_a_round; the sum keeps them from being left out
  std::int64_t multiply_adds_a_round;
};
template <>
const VectorEntries OnPath<VectorEntries, CpuPath::scalar>::entries;
template <>
const VectorEntries OnPath<VectorEntries, CpuPath::v3>::entries;
template <>
const VectorEntries OnPath<VectorEntries, CpuPath::v4>::entries;

}   // namespace lastro::kernels
