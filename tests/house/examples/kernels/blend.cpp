#include "kernels/blend.h"

#include "blend_cpu.h"
#include "cpu/check.h"
#include "cpu/split.h"

namespace lastro::kernels {

void blend(Workers& workers, ConstMatrix x, float factor, Matrix y) {
  require_shape("blend", "x", x, y.rows, y.columns);
  const BlendEntries& entries = entries_in_force<BlendEntries>();
  split(workers, y.rows, 1, [&](std::int64_t begin, std::int64_t end) {
    entries.blend(x.rows_from(begin, end - begin), factor, y.rows_from(begin, end - begin));
  });
}

}  // namespace lastro::kernels
