#include "blend_cpu.h"

#include "cpu/lanes.h"

namespace lastro::kernels {
namespace {

void blend(ConstMatrix x, float factor, Matrix y) {
  count_piece();
  for (std::int64_t row = 0; row < y.rows; ++row) {
    const float* const from = x.row(row);
    float* const to = y.row(row);
    each(y.columns, [&](auto at, auto put) __attribute__((always_inline)) { put(to, fma(splat(factor), at(from), at(to))); });
  }
}

}  // namespace

template <>
const BlendEntries OnPath<BlendEntries, isa_path>::entries = {blend};

}  // namespace lastro::kernels
