#pragma once

#include <string>
#include <string_view>

#include "text/tokenizer.h"

namespace lastro {

// Turns tokens into text as they come. Everything it gives is whole UTF-8 characters; what can no longer become one is given as U+FFFD, one for
// each maximal part of a broken character (as Unicode 3.9 recommends and Hugging Face, Python and Rust do). The concatenation of all that it gives
// is utf8_lossy(the bytes of the tokens).
class IncrementalDecoder {
 public:
  explicit IncrementalDecoder(const BpeTokenizer& tokenizer, BpeTokenizer::Special special = BpeTokenizer::Special::skip)
      : tokenizer_(&tokenizer), special_(special) {}

  // The text that became certain with this token; may be empty. Valid until the next call.
  std::string_view push(TokenId id);
  // What is left at the end.
  std::string_view finish();

 private:
  const BpeTokenizer* tokenizer_;
  BpeTokenizer::Special special_;
  std::string pending_;   // the beginning of a character, at most 3 bytes
  std::string text_;
};

}   // namespace lastro
