#pragma once

#include <functional>
#include <span>
#include <vector>

#include "infer/sampler.h"
#include "model/decode.h"

namespace lastro {

struct Generation {
  Sampling sampling;
  std::int64_t max_tokens = 256;
  std::vector<TokenId> stops;   // any of them ends the text, and is not part of it
  std::uint64_t seed = 0;
  std::uint64_t sample = 0;   // which of several samples under one seed
};

enum class Finish { stop, length };   // a stop token; max_tokens or the end of the context

struct Generated {
  std::vector<TokenId> tokens;   // without the prompt
  Finish finish = Finish::length;
};

// Continues `prompt` (at least one token) in sequence 0 of `decoder`, which is cleared first. A token depends on (seed, sample, its position)
// and the tokens before it alone. `on_token` may be null; it hears each token when it is drawn.
// Throws UsageError when the prompt does not fit the context.
Generated generate(Decoder& decoder, std::span<const TokenId> prompt, const Generation& generation, const std::function<void(TokenId)>& on_token);

}   // namespace lastro
