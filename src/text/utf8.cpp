#include "text/utf8.h"

namespace lastro {
namespace {

struct Range {
  unsigned char first;
  unsigned char last;
};

// Length that a lead byte announces, 0 when it leads nothing.
std::size_t announced_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return 2;
  if (lead >= 0xE0 && lead <= 0xEF) return 3;
  if (lead >= 0xF0 && lead <= 0xF4) return 4;
  return 0;
}

// The second byte has a narrower range after some leads: that is what rules out overlong forms and surrogates (Unicode table 3-7).
Range second_byte(unsigned char lead) {
  if (lead == 0xE0) return {0xA0, 0xBF};
  if (lead == 0xED) return {0x80, 0x9F};
  if (lead == 0xF0) return {0x90, 0xBF};
  if (lead == 0xF4) return {0x80, 0x8F};
  return {0x80, 0xBF};
}

// How many bytes from `at` form a well-formed character or the longest beginning of one; at least 1.
std::size_t maximal_part(std::string_view text, std::size_t at) {
  const unsigned char lead = text[at];
  const std::size_t length = announced_length(lead);
  std::size_t taken = 1;
  for (; taken < length && at + taken < text.size(); ++taken) {
    const Range range = taken == 1 ? second_byte(lead) : Range{0x80, 0xBF};
    const unsigned char byte = text[at + taken];
    if (byte < range.first || byte > range.last) break;
  }
  return taken;
}

}   // namespace

void append_utf8(char32_t point, std::string& text) {
  const auto tail = [&](int shift) { text += static_cast<char>(0x80 | (point >> shift & 0x3F)); };
  if (point < 0x80) {
    text += static_cast<char>(point);
  } else if (point < 0x800) {
    text += static_cast<char>(0xC0 | point >> 6);
    tail(0);
  } else if (point < 0x10000) {
    text += static_cast<char>(0xE0 | point >> 12);
    tail(6), tail(0);
  } else {
    text += static_cast<char>(0xF0 | point >> 18);
    tail(12), tail(6), tail(0);
  }
}

std::size_t incomplete_tail(std::string_view text) {
  for (std::size_t back = 1; back <= 3 && back <= text.size(); ++back) {
    const std::size_t at = text.size() - back;
    const std::size_t length = announced_length(text[at]);
    if (length > back && maximal_part(text, at) == back) return back;
  }
  return 0;
}

std::string utf8_lossy(std::string_view bytes) {
  std::string text;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t taken = maximal_part(bytes, at);
    if (taken == announced_length(bytes[at]))
      text.append(bytes, at, taken);
    else
      append_utf8(0xFFFD, text);
    at += taken;
  }
  return text;
}

}   // namespace lastro
