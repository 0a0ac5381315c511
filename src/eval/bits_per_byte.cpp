#include "eval/bits_per_byte.h"

#include <cmath>
#include <numbers>

#include "domain/errors.h"
#include "kernels/fp64.h"

namespace lastro {

HeldOutScore score_of(std::span<const ScoredWindow> windows) {
  HeldOutScore score;
  double nats = 0;
  for (const ScoredWindow& window : windows) {
    nats += window.negative_log_likelihood;
    score.tokens += window.tokens;
    score.bytes += window.bytes;
  }
  if (score.bytes == 0) throw InternalError("a held-out text without a byte was scored");
  const double bits = nats / std::numbers::ln2;
  score.bits_per_byte = bits / static_cast<double>(score.bytes);
  score.nats_per_token = nats / static_cast<double>(score.tokens);
  score.perplexity = kernels::exponential_fp64(score.nats_per_token);

  double squares = 0;
  for (const ScoredWindow& window : windows) {
    const double residual = window.negative_log_likelihood / std::numbers::ln2 - score.bits_per_byte * static_cast<double>(window.bytes);
    squares += residual * residual;
  }
  const double count = static_cast<double>(windows.size());
  if (count > 1) score.standard_error = std::sqrt(squares * count / (count - 1)) / static_cast<double>(score.bytes);   // sqrt is exact IEEE
  return score;
}

}   // namespace lastro
