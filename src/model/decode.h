#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "domain/ids.h"
#include "domain/workers.h"
#include "model/shape.h"
#include "model/tensors.h"

namespace lastro {

// Memory that a decoder holds from construction on, exactly, by class.
struct DecoderBytes {
  std::int64_t kv_cache = 0;
  std::int64_t working = 0;
  std::int64_t packing = 0;
  std::int64_t tables = 0;
  std::int64_t total() const { return kv_cache + working + packing + tables; }
};
DecoderBytes decoder_bytes(const ModelShape& shape, std::int64_t sequences, std::int64_t tokens_per_step, int workers);

// Goes through sequences token by token with a key and value cache of shape.context positions each. Logits have the same bits as the
// training pass over the whole sequence, however the tokens are split into steps and whatever other sequences are in the batch.
// Allocates at construction only.
class Decoder {
 public:
  // Room for `sequences` sequences; up to tokens_per_step new tokens of one sequence go through in one call.
  Decoder(const ModelShape& shape, ModelWeights weights, std::int64_t sequences, std::int64_t tokens_per_step, Workers& workers);
  Decoder(Decoder&&) noexcept;
  Decoder& operator=(Decoder&&) noexcept;
  ~Decoder();

  const ModelShape& shape() const;
  std::int64_t tokens_per_append() const;               // at most
  std::int64_t position(std::int64_t sequence) const;   // tokens in the cache
  void clear(std::int64_t sequence);                    // forgets them

  // Appends `tokens` (at most tokens_per_append()) to one sequence. Afterwards `logits` is the vector [vocabulary] after the last of them.
  // Throws UsageError when the context is full.
  void append(std::int64_t sequence, std::span<const TokenId> tokens, std::span<float> logits);

  // Appends one token to each of the named sequences (each at most once) in one batch; logits [sequences.size(), vocabulary].
  void step(std::span<const std::int64_t> sequences, std::span<const TokenId> tokens, std::span<float> logits);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// log P(tokens[i] | tokens[0..i-1]) for i in [1, tokens.size()): the result has tokens.size() - 1 numbers, of the same bits as training's.
// Throws UsageError when there are more tokens than shape.context + 1 or a token is not in the vocabulary.
std::vector<float> token_logprobs(const ModelShape& shape, const ModelWeights& weights, std::span<const TokenId> tokens, Workers& workers);

}   // namespace lastro
