#pragma once

#include <cstdint>
#include <span>

namespace lastro {

// A stretch of held-out text and what the model gave it.
struct ScoredWindow {
  double negative_log_likelihood = 0;   // nats, summed over the window's scored tokens in order
  std::int64_t tokens = 0;
  std::int64_t bytes = 0;   // of the text of these tokens; an end-of-text token has none
};

struct HeldOutScore {
  double bits_per_byte = 0;
  double standard_error = 0;   // of bits_per_byte: a ratio estimate over windows (Cochran, Sampling Techniques, 3rd ed., eq. 2.45)
  double nats_per_token = 0;
  double perplexity = 0;   // exp(nats_per_token)
  std::int64_t tokens = 0;
  std::int64_t bytes = 0;
};

// Windows in the order of the text. Requires at least one byte.
HeldOutScore score_of(std::span<const ScoredWindow> windows);

}   // namespace lastro
