#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "text/bpe_vocabulary.h"

namespace lastro {

inline constexpr TokenId no_token = 0xFFFFFFFF;

// Which token a pair of tokens merges into. A token's id is also the rank of its merge: a lower one goes first.
class MergeTable {
 public:
  explicit MergeTable(const BpeVocabulary& vocabulary);

  TokenId find(TokenId left, TokenId right) const {
    const std::uint64_t key = std::uint64_t{left} << 32 | right;
    for (std::size_t i = home_of(key);; i = (i + 1) & mask_) {
      if (slots_[i].key == key) return slots_[i].merged;
      if (slots_[i].merged == no_token) return no_token;
    }
  }

 private:
  struct Slot {
    std::uint64_t key = ~std::uint64_t{0};
    TokenId merged = no_token;
  };
  std::size_t home_of(std::uint64_t key) const { return (key * 0x9E3779B97F4A7C15u) >> shift_; }

  std::vector<Slot> slots_;
  std::size_t mask_ = 0;
  int shift_ = 64;
};

// Merges the tokens of one pre-token in place, lowest rank first, leftmost first; what is left stands at the front of `tokens`, which is
// shortened. Keeps its working memory between calls.
class PretokenMerger {
 public:
  void merge(const MergeTable& table, std::vector<TokenId>& tokens);

 private:
  void merge_short(const MergeTable& table, std::vector<TokenId>& tokens);
  void merge_long(const MergeTable& table, std::vector<TokenId>& tokens);

  std::vector<TokenId> ranks_;   // of the pair that begins at each place
  std::vector<std::uint32_t> next_, previous_;
};

// The first token whose own bytes do not merge to it, if any. Training makes none: in a word, the neighbours that tile a token's bytes have been
// merged exactly as in the token alone, so they are always the same two, and are gone once its turn has come.
std::optional<TokenId> first_unreachable(const BpeVocabulary& vocabulary);

}   // namespace lastro
