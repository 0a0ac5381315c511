#include "data/clean.h"

#include <array>

#include "core/utf8.h"

namespace lastro {
namespace {

// Code points of the bytes 0x80 to 0x9F in Windows-1252.
constexpr std::array<char16_t, 32> windows_1252{0x20AC, 0xFFFD, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
                                                0x2039, 0x0152, 0xFFFD, 0x017D, 0xFFFD, 0xFFFD, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
                                                0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0xFFFD, 0x017E, 0x0178};

void append_utf8(char16_t point, std::string& text) {   // of a point from U+0080 to U+FFFF
  if (point < 0x800) {
    text += static_cast<char>(0xC0 | point >> 6);
  } else {
    text += static_cast<char>(0xE0 | point >> 12);
    text += static_cast<char>(0x80 | (point >> 6 & 0x3F));
  }
  text += static_cast<char>(0x80 | (point & 0x3F));
}

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

bool is_line_break(std::string_view sequence) { return sequence == "\xC2\x85" || sequence == "\xE2\x80\xA8" || sequence == "\xE2\x80\xA9"; }

// Appends to a text while holding rules 4 and 5.
class LineTidier {
 public:
  explicit LineTidier(std::string& text) : text_(text) {}

  void newline() {
    blanks_.clear();
    ++newlines_;
  }
  void blank(char c) { blanks_ += c; }
  void before_mark() {
    if (!text_.empty()) text_.append(static_cast<std::size_t>(newlines_ < 3 ? newlines_ : 3), '\n');
    text_ += blanks_;
    newlines_ = 0;
    blanks_.clear();
  }

 private:
  std::string& text_;
  std::string blanks_;
  std::int64_t newlines_ = 0;
};

}   // namespace

CleanCounts& CleanCounts::operator+=(const CleanCounts& other) {
  invalid_bytes += other.invalid_bytes;
  control_bytes += other.control_bytes;
  return *this;
}

void clean_text(std::string_view raw, std::string& clean, CleanCounts& counts) {
  clean.clear();
  if (raw.starts_with(byte_order_mark)) raw.remove_prefix(byte_order_mark.size());
  LineTidier lines(clean);
  while (!raw.empty()) {
    const char first = raw.front();
    const std::size_t length = utf8_sequence_length(raw);
    const std::string_view sequence = raw.substr(0, length == 0 ? 1 : length);
    raw.remove_prefix(sequence.size());
    if (length == 0) {
      lines.before_mark();
      const auto byte = static_cast<unsigned char>(first);
      append_utf8(byte < 0xA0 ? windows_1252[byte - 0x80] : char16_t{byte}, clean);
      ++counts.invalid_bytes;
    } else if (first == '\r') {
      if (raw.starts_with('\n')) raw.remove_prefix(1);
      lines.newline();
    } else if (first == '\n' || first == '\f' || first == '\v' || is_line_break(sequence)) {
      lines.newline();
    } else if (first == ' ' || first == '\t') {
      lines.blank(first);
    } else if ((length == 1 && (static_cast<unsigned char>(first) < 0x20 || first == 0x7F)) || sequence == byte_order_mark) {
      ++counts.control_bytes;
    } else {
      lines.before_mark();
      clean += sequence;
    }
  }
}

}   // namespace lastro
