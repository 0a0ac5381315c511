#include "kernels/squared_relu.h"

#include "cpu/check.h"
#include "cpu/split.h"
#include "squared_relu_cpu.h"

namespace lastro::kernels {

void squared_relu(Workers& workers, ConstMatrix x, Matrix y) {
  require_shape("squared_relu", "x", x, y.rows, y.columns);
  const SquaredReluEntries& entries = entries_in_force<SquaredReluEntries>();
  split(workers, y.rows, 1,
        [&](std::int64_t begin, std::int64_t end) { entries.squared_relu(x.rows_from(begin, end - begin), y.rows_from(begin, end - begin)); });
}

}   // namespace lastro::kernels
