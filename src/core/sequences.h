#pragma once

#include <cstdint>
#include <span>

#include "domain/digest.h"
#include "domain/ids.h"

namespace lastro {

// Where training takes its text from: an endless numbered row of token sequences. A step's sample at `position` of its batch is number
// step * batch + position. Threads may call at the same time. A port: data/sampler.h has the implementation.
class Sequences {
 public:
  virtual ~Sequences() = default;

  // Fills `tokens` [context + 1]: the inputs are its first `context` tokens, the targets its last. Takes the same time for any sample,
  // allocates nothing. Requires: sample >= 0, tokens.size() == context + 1.
  virtual void sequence(std::int64_t sample, std::span<TokenId> tokens) const = 0;

  // Of everything that decides which tokens a sample has. A run that resumes holds it against the one it saved.
  virtual Digest fingerprint() const = 0;
};

}   // namespace lastro
