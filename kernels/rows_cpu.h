#pragma once

#include <cstdint>

#include "cpu/table.h"
#include "kernels/matrix.h"

namespace lastro::kernels {

// Row by row and element by element: norm, rotation, gated unit. Each works on the rows of the matrices it is given.
struct RopeRows {
  Matrix x;
  std::int64_t heads, half, first_row, tokens_per_sequence, first_position;   // `first_row`: x's row 0 in the whole matrix
  const float* cosines;
  const float* sines;
  float sign;   // of the sines: -1 turns back
};

struct RowEntries {
  void (*rmsnorm_forward)(ConstMatrix x, const float* weight, float epsilon, Matrix y, float* inverse_rms);
  void (*rmsnorm_backward_input)(ConstMatrix x, const float* weight, const float* inverse_rms, ConstMatrix dy, ConstMatrix add, Matrix dx);
  void (*rmsnorm_backward_weight)(ConstMatrix x, const float* inverse_rms, ConstMatrix dy, float* dweight);
  void (*rope)(const RopeRows& rows);
  void (*swiglu_forward)(ConstMatrix gate, ConstMatrix up, Matrix h);
  void (*swiglu_backward)(ConstMatrix gate, ConstMatrix up, ConstMatrix dh, Matrix dgate, Matrix dup);
  // dtable row tokens[t] += dy row t, for every t in `order`.
  void (*add_rows)(const std::int32_t* tokens, const std::int32_t* order, ConstMatrix dy, Matrix dtable);
};
template <>
const RowEntries OnPath<RowEntries, CpuPath::scalar>::entries;
template <>
const RowEntries OnPath<RowEntries, CpuPath::v3>::entries;
template <>
const RowEntries OnPath<RowEntries, CpuPath::v4>::entries;

}   // namespace lastro::kernels
