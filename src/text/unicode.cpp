#include "text/unicode.h"

namespace lastro {
namespace {
#include "text/unicode_tables.inc"
}   // namespace

CharClass class_of(char32_t point) {
  if (point >= first_point_beyond_tables) return CharClass::other;
  const unsigned long long word = class_rows[row_of_block[point / 128]][point % 128 / 32];
  return static_cast<CharClass>(word >> 2 * (point % 32) & 3);
}

std::string_view unicode_version() { return unicode_tables_version; }

std::vector<std::pair<char32_t, char32_t>> ranges_of(CharClass wanted) {
  std::vector<std::pair<char32_t, char32_t>> ranges;
  for (char32_t point = 0; point < first_point_beyond_tables; ++point) {
    if (class_of(point) != wanted) continue;
    if (!ranges.empty() && ranges.back().second + 1 == point)
      ranges.back().second = point;
    else
      ranges.emplace_back(point, point);
  }
  return ranges;
}

}   // namespace lastro
