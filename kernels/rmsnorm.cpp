#include "kernels/rmsnorm.h"

#include <algorithm>

#include "cpu/check.h"
#include "cpu/split.h"
#include "rows_cpu.h"

namespace lastro::kernels {

void rmsnorm_forward(Workers& workers, ConstMatrix x, const float* weight, float epsilon, Matrix y, float* inverse_rms) {
  require_shape("rmsnorm_forward", "x", x, y.rows, y.columns);
  require_shape("rmsnorm_forward", "y", y, x.rows, x.columns);
  const RowEntries& entries = entries_in_force<RowEntries>();
  split(workers, x.rows, 1, [&](std::int64_t begin, std::int64_t end) {
    entries.rmsnorm_forward(x.rows_from(begin, end - begin), weight, epsilon, y.rows_from(begin, end - begin), inverse_rms + begin);
  });
}

void rmsnorm_backward_input(Workers& workers, ConstMatrix x, const float* weight, const float* inverse_rms, ConstMatrix dy, ConstMatrix add,
                            Matrix dx) {
  require_shape("rmsnorm_backward_input", "x", x, dx.rows, dx.columns);
  require_shape("rmsnorm_backward_input", "dy", dy, x.rows, x.columns);
  require_shape("rmsnorm_backward_input", "dx", dx, x.rows, x.columns);
  if (add.data) require_shape("rmsnorm_backward_input", "add", add, x.rows, x.columns);
  const RowEntries& entries = entries_in_force<RowEntries>();
  split(workers, x.rows, 1, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t rows = end - begin;
    entries.rmsnorm_backward_input(x.rows_from(begin, rows), weight, inverse_rms + begin, dy.rows_from(begin, rows),
                                   add.data ? add.rows_from(begin, rows) : add, dx.rows_from(begin, rows));
  });
}

void rmsnorm_backward_weight(Workers& workers, ConstMatrix x, const float* inverse_rms, ConstMatrix dy, float* dweight, Start start) {
  require_shape("rmsnorm_backward_weight", "dy", dy, x.rows, x.columns);
  const RowEntries& entries = entries_in_force<RowEntries>();
  // Columns are split, tokens are not: a chain runs over all of them.
  split(workers, x.columns, 16, [&](std::int64_t begin, std::int64_t end) {
    if (start == Start::zero) std::fill(dweight + begin, dweight + end, 0.0f);
    entries.rmsnorm_backward_weight(x.columns_from(begin, end - begin), inverse_rms, dy.columns_from(begin, end - begin), dweight + begin);
  });
}

}   // namespace lastro::kernels
