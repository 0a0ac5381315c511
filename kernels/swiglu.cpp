#include "kernels/swiglu.h"

#include "cpu/check.h"
#include "cpu/split.h"
#include "rows_cpu.h"

namespace lastro::kernels {

void swiglu_forward(Workers& workers, ConstMatrix gate, ConstMatrix up, Matrix h) {
  require_shape("swiglu_forward", "gate", gate, h.rows, h.columns);
  require_shape("swiglu_forward", "up", up, h.rows, h.columns);
  const RowEntries& entries = entries_in_force<RowEntries>();
  split(workers, h.rows, 1, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t rows = end - begin;
    entries.swiglu_forward(gate.rows_from(begin, rows), up.rows_from(begin, rows), h.rows_from(begin, rows));
  });
}

void swiglu_backward(Workers& workers, ConstMatrix gate, ConstMatrix up, ConstMatrix dh, Matrix dgate, Matrix dup) {
  require_shape("swiglu_backward", "gate", gate, dh.rows, dh.columns);
  require_shape("swiglu_backward", "up", up, dh.rows, dh.columns);
  require_shape("swiglu_backward", "dgate", dgate, dh.rows, dh.columns);
  require_shape("swiglu_backward", "dup", dup, dh.rows, dh.columns);
  const RowEntries& entries = entries_in_force<RowEntries>();
  split(workers, dh.rows, 1, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t rows = end - begin;
    entries.swiglu_backward(gate.rows_from(begin, rows), up.rows_from(begin, rows), dh.rows_from(begin, rows), dgate.rows_from(begin, rows),
                            dup.rows_from(begin, rows));
  });
}

}   // namespace lastro::kernels
