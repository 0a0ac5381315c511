#include "squared_relu_cpu.h"

#include "cpu/lanes.h"

namespace lastro::kernels {
namespace {

// The element, for one number, a register of them, or a thread of a GPU.
template <class V>
KERNEL_FN V squared_relu_element(V x) {
  const V zero = constant<V>(0.0f);
  const V kept = x > zero ? x : zero;
  return kept * kept;
}

void squared_relu(ConstMatrix x, Matrix y) {
  count_piece();
  for (std::int64_t r = 0; r < y.rows; ++r)
    each(
        y.columns, [&](auto at, auto put) __attribute__((always_inline)) { put(y.row(r), squared_relu_element(at(x.row(r)))); });
}

}   // namespace

template <>
const SquaredReluEntries OnPath<SquaredReluEntries, isa_path>::entries = {squared_relu};

}   // namespace lastro::kernels
