#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lastro {

// Text is cut into pre-tokens, and no token crosses a border between them. The rule is that of cl100k (GPT-4), with \p{L}, \p{N} and \s by the
// product's own Unicode tables (text/unicode.h); the first alternative that matches wins:
//
//   '(?:[sSdDmMtT]|[lL][lL]|[vV][eE]|[rR][eE])     English contractions
//   [^\r\n\p{L}\p{N}]?\p{L}+                        a word, with one space or sign before it
//   \p{N}{1,3}                                      up to three digits
//    ?[^\s\p{L}\p{N}]+[\r\n]*                       signs, with a space before and line ends after
//   \s*[\r\n]                                       white space up to the last line end
//   \s+(?!\S)                                       white space but for its last character, which goes with the word that follows
//   \s+
//
// (cl100k says (?i:...) in the first, which in some engines also takes U+017F, the long s; here it is ASCII.) The pre-tokens of a text are
// the text: nothing is dropped or changed. A byte that is not part of well-formed UTF-8 counts as one character of no class, like a sign. A scanner
// written by hand, linear in the text; the exports carry the same rule as a regular expression with all classes spelled out.

// Where the pre-token that begins at `begin` ends. Requires: begin < text.size(), and begin is 0 or an earlier pre-token's end.
std::size_t pretoken_end(std::string_view text, std::size_t begin);

template <class Visit>
void for_each_pretoken(std::string_view text, Visit&& visit) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = pretoken_end(text, begin);
    visit(text.substr(begin, end - begin));
    begin = end;
  }
}

// The rule as a regular expression that means the same to Oniguruma (Hugging Face), fancy-regex (tiktoken), Python's regex and JavaScript.
std::string pretoken_pattern();

// Changes whenever the rule or the tables do.
std::string pretokenizer_name();   // "lastro-cl100k-1/unicode-16.0.0"

// A cut that no pre-token of `text` + more text can cross, as near to the end as one is found; 0 when there is none. Requires: `text` begins at a
// border.
std::size_t last_safe_cut(std::string_view text);

// Cuts a document that comes in pieces into segments of at most `segment_bytes`, so that a line of any length is worked on in bounded memory.
// A segment ends at the last safe cut in its `segment_bytes`; where there is none (one pre-token longer than that), at that length, less an
// incomplete character. Segments do not depend on where the pieces end. Joined, they have the document's own pre-tokens, but for those longer than a
// segment.
class TextSegments {
 public:
  static constexpr std::size_t default_segment_bytes = std::size_t{1} << 20;
  explicit TextSegments(std::size_t segment_bytes = default_segment_bytes) : segment_bytes_(segment_bytes) {}

  // Calls visit(std::string_view segment) for what has become complete. `is_last` ends the document and gives all that is left.
  template <class Visit>
  void push(std::string_view piece, bool is_last, Visit&& visit) {
    while (!piece.empty()) {
      if (carry_.empty() && piece.size() > segment_bytes_) {   // long pieces are cut in place
        const std::size_t length = segment_length(piece.substr(0, segment_bytes_));
        visit(piece.substr(0, length));
        piece.remove_prefix(length);
        continue;
      }
      if (carry_.empty() && is_last) {
        visit(piece);
        return;
      }
      const std::size_t taken = std::min(piece.size(), segment_bytes_ + 1 - carry_.size());
      carry_.append(piece.substr(0, taken));
      piece.remove_prefix(taken);
      if (carry_.size() <= segment_bytes_) continue;
      const std::size_t length = segment_length(std::string_view(carry_).substr(0, segment_bytes_));
      visit(std::string_view(carry_).substr(0, length));
      carry_.erase(0, length);
    }
    if (is_last && !carry_.empty()) {
      visit(std::string_view(carry_));
      carry_.clear();
    }
  }

 private:
  static std::size_t segment_length(std::string_view full);

  std::size_t segment_bytes_;
  std::string carry_;
};

}   // namespace lastro
