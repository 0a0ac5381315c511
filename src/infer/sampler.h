#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "domain/ids.h"

namespace lastro {

// How the next token is drawn. First the top_k likeliest are kept (0: all), then the fewest of these whose share of their sum reaches top_p.
struct Sampling {
  double temperature = 1.0;   // 0: the likeliest token, of equals the smallest id; logits are divided by it otherwise
  std::int64_t top_k = 0;
  double top_p = 1.0;
};

// Draws tokens; keeps scratch memory. A draw depends on its arguments alone.
class TokenSampler {
 public:
  explicit TokenSampler(const Sampling& sampling) : sampling_(sampling) {}
  // `chance` in [0, 1): the random number of this draw (core/random.h, Purpose::sampling). Throws DivergedError when a logit is not a number.
  TokenId draw(std::span<const float> logits, double chance);

 private:
  struct Candidate {
    TokenId token;
    double share;   // of the likeliest one's probability
  };
  void keep_top_p();

  Sampling sampling_;
  std::vector<Candidate> candidates_;
};

}   // namespace lastro
