#include "kernels/rope.h"

#include "cpu/check.h"
#include "cpu/split.h"
#include "element/fp64.h"
#include "rows_cpu.h"

namespace lastro::kernels {

void rope_tables(std::int64_t positions, int head_dim, double theta, float* cosines, float* sines) {
  const std::int64_t half = head_dim / 2;
  for (std::int64_t i = 0; i < half; ++i) {
    const double frequency = exp_fp64(-(static_cast<double>(2 * i) / head_dim) * log_fp64(theta));
    for (std::int64_t position = 0; position < positions; ++position) {
      const SineCosine turned = sine_cosine_fp64(static_cast<double>(position) * frequency);
      cosines[position * half + i] = static_cast<float>(turned.cosine);
      sines[position * half + i] = static_cast<float>(turned.sine);
    }
  }
}

void rope(Workers& workers, Matrix x, int heads, int head_dim, std::int64_t tokens_per_sequence, std::int64_t first_position, const float* cosines,
          const float* sines, Turn turn) {
  require_shape("rope", "x", x, x.rows, static_cast<std::int64_t>(heads) * head_dim);
  if (head_dim % 2 || tokens_per_sequence < 1 || first_position < 0)
    refuse("rope", "head_dim " + std::to_string(head_dim) + ", tokens_per_sequence " + std::to_string(tokens_per_sequence) + ", first_position " +
                       std::to_string(first_position) + " (wanted an even one, at least 1, at least 0)");
  const RowEntries& entries = entries_in_force<RowEntries>();
  split(workers, x.rows, 1, [&](std::int64_t begin, std::int64_t end) {
    entries.rope({x.rows_from(begin, end - begin), heads, head_dim / 2, begin, tokens_per_sequence, first_position, cosines, sines,
                  turn == Turn::forward ? 1.0f : -1.0f});
  });
}

}   // namespace lastro::kernels
