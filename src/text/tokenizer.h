#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/ids.h"
#include "text/bpe_vocabulary.h"

namespace lastro {

// Byte-level BPE: any bytes become tokens and come back; nothing is unknown. Text is cut into pre-tokens (text/pretokenizer.h) and each is
// merged on its own, lowest merge first, leftmost first. Special tokens are never made from text: whoever trusts a place (the end of a
// document, a turn of a chat) appends their ids. Immutable; threads may share one.
class BpeTokenizer {
 public:
  explicit BpeTokenizer(BpeVocabulary vocabulary);

  // Reads a Tokenizer artifact's folder (or a Hugging Face folder that Lastro exported). Throws ContractError when it is damaged.
  static BpeTokenizer load(const std::filesystem::path& folder);

  // For many texts use a BpeEncoder: it remembers what it has seen.
  std::vector<TokenId> encode(std::string_view text) const;

  // The bytes of `ids`, exactly; special tokens give their text only when asked. Throws ContractError on an id outside the vocabulary.
  enum class Special : bool { skip, show };
  std::string decode(std::span<const TokenId> ids, Special special = Special::skip) const;
  std::string_view bytes_of(TokenId id) const;   // of a special token: its text

  std::size_t vocabulary_size() const { return vocabulary_.size(); }
  TokenId end_of_text() const { return 0; }
  bool is_special(TokenId id) const { return id < vocabulary_.special_tokens.size(); }
  std::optional<TokenId> special(std::string_view text) const;   // "<|user|>" -> its id
  const BpeVocabulary& vocabulary() const { return vocabulary_; }

 private:
  friend class BpeEncoder;
  struct Tables;
  BpeVocabulary vocabulary_;
  std::shared_ptr<const Tables> tables_;   // copies of a tokenizer share these; they never change
};

// Encodes text after text; remembers pre-tokens, so the same words cost a look-up. One per thread.
// Bounded memory: about 4 MiB and 20 bytes a byte of the longest pre-token.
class BpeEncoder {
 public:
  explicit BpeEncoder(const BpeTokenizer& tokenizer);   // which must outlive it
  BpeEncoder(BpeEncoder&&) noexcept;
  ~BpeEncoder();

  // Appends the tokens of `text` to `ids`.
  void encode(std::string_view text, std::vector<TokenId>& ids);
  // The same for bytes that are one pre-token, or a part of one.
  void encode_pretoken(std::string_view pretoken, std::vector<TokenId>& ids);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}   // namespace lastro
