#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "domain/ids.h"

namespace lastro {

// A yardstick for a language model: an n-gram model of tokens with interpolated Kneser-Ney smoothing (Chen and Goodman, "An empirical study of
// smoothing techniques for language modeling", 1998, section 2.7; one discount per order, n1 / (n1 + 2 n2)).
class NgramModel {
 public:
  static constexpr int order = 5;

  // What one takes while it is being built. Words drawn at random, which repeat less than prose, were measured at 91 bytes a token.
  static constexpr std::int64_t memory_bytes(std::int64_t training_tokens) { return 96 * training_tokens; }

  NgramModel(std::span<const TokenId> training, std::int64_t vocabulary_size);

  // Sum over the tokens of -ln p(token | the order-1 tokens before it), in nats; the first ones have shorter contexts.
  double negative_log_likelihood(std::span<const TokenId> text) const;

 private:
  // n-grams of one length, sorted by hash. For the longest, counts are occurrences; for the others, distinct tokens seen before them.
  struct Level {
    std::vector<std::uint64_t> grams;
    std::vector<std::uint32_t> gram_counts;
    std::vector<std::uint64_t> contexts;
    std::vector<std::uint32_t> context_totals;
    std::vector<std::uint32_t> context_followers;
    double discount = 0;
    void reserve(std::size_t most);
  };
  double probability(std::span<const TokenId> text, std::size_t position, int length) const;

  std::array<Level, order + 1> levels_;   // by n-gram length; [0] is unused
  double uniform_;
};

}   // namespace lastro
