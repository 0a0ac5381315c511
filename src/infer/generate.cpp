#include "infer/generate.h"

#include <algorithm>

#include "core/random.h"
#include "domain/errors.h"

namespace lastro {

Generated generate(Decoder& decoder, std::span<const TokenId> prompt, const Generation& generation, const std::function<void(TokenId)>& on_token) {
  constexpr std::int64_t sequence = 0;
  if (prompt.empty()) throw UsageError("the prompt has no token (a model continues something) give some text");
  decoder.clear(sequence);
  std::vector<float> logits(static_cast<std::size_t>(decoder.shape().vocabulary));
  while (!prompt.empty()) {
    const auto piece = prompt.first(std::min(prompt.size(), static_cast<std::size_t>(decoder.tokens_per_append())));
    decoder.append(sequence, piece, logits);
    prompt = prompt.subspan(piece.size());
  }

  TokenSampler sampler(generation.sampling);
  Generated generated;
  while (static_cast<std::int64_t>(generated.tokens.size()) < generation.max_tokens) {
    const std::int64_t position = decoder.position(sequence);
    const double chance = random_unit(generation.seed, Purpose::sampling, generation.sample, static_cast<std::uint64_t>(position));
    const TokenId token = sampler.draw(logits, chance);
    if (std::find(generation.stops.begin(), generation.stops.end(), token) != generation.stops.end()) {
      generated.finish = Finish::stop;
      break;
    }
    generated.tokens.push_back(token);
    if (on_token) on_token(token);
    if (position == decoder.shape().context) break;   // this token was the last that the context allows to predict
    decoder.append(sequence, {&token, 1}, logits);
  }
  return generated;
}

}   // namespace lastro
