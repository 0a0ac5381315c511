#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lastro {

// The text of a document as it is trained on. In this order, and nothing else:
//   1. a byte-order mark at the start goes;
//   2. a byte that belongs to no UTF-8 sequence is read as Windows-1252, in which such bytes were nearly always written: 0xE9 becomes
//      U+00E9; the five bytes that Windows-1252 leaves open become U+FFFD;
//   3. CR LF, CR, FF, VT, U+0085, U+2028 and U+2029 become a newline; other control bytes but tab (NUL among them) go, and U+FEFF inside;
//   4. spaces and tabs at the end of a line go; more than two empty lines in a row become two;
//   5. newlines at the start and blanks at the end of the document go.
// Letters, case, punctuation, indentation and markup stay. Cleaning clean text changes nothing.
struct CleanCounts {
  std::int64_t invalid_bytes = 0;   // rule 2
  std::int64_t control_bytes = 0;   // removed by rule 3
  CleanCounts& operator+=(const CleanCounts& other);
};

// Puts the clean form of `raw` into `clean`, which is emptied first.
void clean_text(std::string_view raw, std::string& clean, CleanCounts& counts);

}   // namespace lastro
