#pragma once

#include <string>
#include <utility>
#include <vector>

#include "domain/ids.h"

namespace lastro {

// Ids in order: special tokens, the 256 bytes (in the order that GPT-2 and Hugging Face's trainer number them), then one token a merge.
// So the first n ids of a vocabulary are the vocabulary of size n.
struct BpeVocabulary {
  struct Merge {
    TokenId left;
    TokenId right;
    bool operator==(const Merge&) const = default;
  };
  std::vector<std::string> special_tokens;   // the first is <|endoftext|>
  std::vector<Merge> merges;                 // merge i makes token first_merge() + i

  TokenId first_byte() const { return static_cast<TokenId>(special_tokens.size()); }
  TokenId first_merge() const { return first_byte() + 256; }
  std::size_t size() const { return first_merge() + merges.size(); }
  bool operator==(const BpeVocabulary&) const = default;
};

// The special tokens that every vocabulary begins with. Their ids are their places.
//   <|endoftext|> ends a document; <|pad|> fills; the others frame a chat: role, text, <|eot|>.
std::vector<std::string> standard_special_tokens();

// The bytes of every token, by id; of a special token, its text.
std::vector<std::string> token_bytes(const BpeVocabulary& vocabulary);

// The vocabulary of the first `size` ids. Requires: first_merge() <= size <= vocabulary.size().
BpeVocabulary prefix_of(const BpeVocabulary& vocabulary, std::size_t size);

}   // namespace lastro
