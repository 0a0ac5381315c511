#include "data/words.h"

#include "core/utf8.h"
#include "data/hash64.h"

namespace lastro {
namespace {

char32_t decode(std::string_view sequence) {   // of a whole UTF-8 sequence
  const auto byte = [&](std::size_t i) { return static_cast<char32_t>(static_cast<unsigned char>(sequence[i])); };
  switch (sequence.size()) {
    case 2: return (byte(0) & 0x1F) << 6 | (byte(1) & 0x3F);
    case 3: return (byte(0) & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
    case 4: return (byte(0) & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
    default: return byte(0);
  }
}

void append(char32_t point, std::string& text) {
  if (point < 0x80) {
    text += static_cast<char>(point);
  } else if (point < 0x800) {
    text += static_cast<char>(0xC0 | point >> 6);
    text += static_cast<char>(0x80 | (point & 0x3F));
  } else if (point < 0x10000) {
    text += static_cast<char>(0xE0 | point >> 12);
    text += static_cast<char>(0x80 | (point >> 6 & 0x3F));
    text += static_cast<char>(0x80 | (point & 0x3F));
  } else {
    text += static_cast<char>(0xF0 | point >> 18);
    text += static_cast<char>(0x80 | (point >> 12 & 0x3F));
    text += static_cast<char>(0x80 | (point >> 6 & 0x3F));
    text += static_cast<char>(0x80 | (point & 0x3F));
  }
}

constexpr bool in(char32_t point, char32_t first, char32_t last) { return point >= first && point <= last; }

bool is_space(char32_t p) {
  return p == ' ' || in(p, 9, 13) || p == 0x85 || p == 0xA0 || p == 0x1680 || in(p, 0x2000, 0x200A) || p == 0x2028 || p == 0x2029 || p == 0x202F ||
         p == 0x205F || p == 0x3000;
}

bool is_letter_or_digit(char32_t p) {
  if (p < 0x80) return in(p, '0', '9') || in(p, 'a', 'z') || in(p, 'A', 'Z');
  if (p < 0xC0) return p == 0xAA || p == 0xB2 || p == 0xB3 || p == 0xB5 || p == 0xB9 || p == 0xBA;
  const bool is_punctuation = p == 0xD7 || p == 0xF7 || in(p, 0x2010, 0x206F) || in(p, 0x3001, 0x3004) || in(p, 0x3008, 0x3020) || p == 0x3030 ||
                              in(p, 0xFE10, 0xFE6F) || p == 0xFEFF || in(p, 0xFF01, 0xFF0F) || in(p, 0xFF1A, 0xFF20) || in(p, 0xFF3B, 0xFF40) ||
                              in(p, 0xFF5B, 0xFF65) || p == 0xFFFD;
  return !is_punctuation;
}

// Scripts that write without spaces between words.
bool is_ideograph(char32_t p) {
  return in(p, 0x2E80, 0x2FDF) || in(p, 0x3005, 0x3007) || in(p, 0x3021, 0x9FFF) || in(p, 0xAC00, 0xD7AF) || in(p, 0xF900, 0xFAFF) ||
         in(p, 0x20000, 0x3FFFF);
}

char32_t lower(char32_t p) {
  if (p < 0x80) return in(p, 'A', 'Z') ? p + 32 : p;
  if (in(p, 0xC0, 0xDE)) return p == 0xD7 ? p : p + 32;
  if (in(p, 0x100, 0x137) && p != 0x130) return p | 1;
  if (in(p, 0x139, 0x148)) return p % 2 == 1 ? p + 1 : p;
  if (in(p, 0x14A, 0x177)) return p | 1;
  if (p == 0x178) return 0xFF;
  if (in(p, 0x179, 0x17E)) return p % 2 == 1 ? p + 1 : p;
  if (in(p, 0x391, 0x3A9)) return p + 32;
  if (in(p, 0x410, 0x42F)) return p + 32;
  if (in(p, 0x400, 0x40F)) return p + 80;
  return p;
}

// Calls `visit` with each word of `text`.
template <class Visit>
void for_each_word(std::string_view text, Visit visit) {
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) visit(std::string_view(word));
    word.clear();
  };
  while (!text.empty()) {
    const std::size_t length = utf8_sequence_length(text);
    const char32_t point = length == 0 ? char32_t{0xFFFD} : decode(text.substr(0, length));
    text.remove_prefix(length == 0 ? 1 : length);
    if (is_space(point)) {
      end_word();
    } else if (is_ideograph(point)) {
      end_word();
      append(point, word);
      end_word();
    } else if (is_letter_or_digit(point)) {
      append(lower(point), word);
    }
  }
  end_word();
}

}   // namespace

std::vector<std::string> normalised_words(std::string_view text) {
  std::vector<std::string> words;
  for_each_word(text, [&](std::string_view word) { words.emplace_back(word); });
  return words;
}

void hash_words(std::string_view text, std::vector<std::uint64_t>& hashes) {
  hashes.clear();
  for_each_word(text, [&](std::string_view word) { hashes.push_back(hash64(word)); });
}

}   // namespace lastro
