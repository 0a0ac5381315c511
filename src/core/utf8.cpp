#include "core/utf8.h"

namespace lastro {
namespace {

constexpr bool between(unsigned char value, unsigned char low, unsigned char high) { return value >= low && value <= high; }

}   // namespace

// The table of well-formed sequences: The Unicode Standard, section 3.9, table 3-7.
std::size_t utf8_sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : static_cast<unsigned char>(0); };
  const auto continues = [&](std::size_t i) { return between(byte(i), 0x80, 0xBF); };
  const unsigned char first = byte(0);
  if (text.empty()) return 0;
  if (first < 0x80) return 1;
  if (between(first, 0xC2, 0xDF)) return continues(1) ? 2 : 0;
  if (between(first, 0xE0, 0xEF)) {
    const unsigned char low = first == 0xE0 ? 0xA0 : 0x80;
    const unsigned char high = first == 0xED ? 0x9F : 0xBF;
    return between(byte(1), low, high) && continues(2) ? 3 : 0;
  }
  if (between(first, 0xF0, 0xF4)) {
    const unsigned char low = first == 0xF0 ? 0x90 : 0x80;
    const unsigned char high = first == 0xF4 ? 0x8F : 0xBF;
    return between(byte(1), low, high) && continues(2) && continues(3) ? 4 : 0;
  }
  return 0;
}

}   // namespace lastro
