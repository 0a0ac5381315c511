#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lastro {

// One step through bytes that should be UTF-8.
struct Utf8Char {
  char32_t point = 0;
  int bytes = 1;
  bool valid = true;   // well-formed by Unicode table 3-7: no overlong form, no surrogate, nothing above U+10FFFF
};

// The character that begins at `at` (< text.size()); a byte that begins none is one invalid step of one byte.
inline Utf8Char utf8_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto is_tail = [&](std::size_t i) { return i < text.size() && (byte(i) & 0xC0) == 0x80; };
  const unsigned char lead = byte(at);
  if (lead < 0x80) return {lead, 1, true};
  if (lead >= 0xC2 && lead <= 0xDF && is_tail(at + 1)) return {char32_t(lead & 0x1F) << 6 | (byte(at + 1) & 0x3F), 2, true};
  if (lead >= 0xE0 && lead <= 0xEF && is_tail(at + 1) && is_tail(at + 2)) {
    const char32_t point = char32_t(lead & 0x0F) << 12 | char32_t(byte(at + 1) & 0x3F) << 6 | (byte(at + 2) & 0x3F);
    if (point >= 0x800 && (point < 0xD800 || point > 0xDFFF)) return {point, 3, true};
  }
  if (lead >= 0xF0 && lead <= 0xF4 && is_tail(at + 1) && is_tail(at + 2) && is_tail(at + 3)) {
    const char32_t point =
        char32_t(lead & 0x07) << 18 | char32_t(byte(at + 1) & 0x3F) << 12 | char32_t(byte(at + 2) & 0x3F) << 6 | (byte(at + 3) & 0x3F);
    if (point >= 0x10000 && point <= 0x10FFFF) return {point, 4, true};
  }
  return {0, 1, false};
}

void append_utf8(char32_t point, std::string& text);

// How many bytes at the end of `text` begin a character that more bytes could complete: 0 to 3.
std::size_t incomplete_tail(std::string_view text);

// `bytes` as valid UTF-8: each maximal part of a broken character becomes one U+FFFD (Unicode 3.9, as Python's errors="replace").
std::string utf8_lossy(std::string_view bytes);

}   // namespace lastro
