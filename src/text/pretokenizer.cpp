#include "text/pretokenizer.h"

#include <array>

#include "text/unicode.h"
#include "text/utf8.h"

namespace lastro {
namespace {

// Class of a byte below 0x80; `wide` where more than the byte must be read.
constexpr std::uint8_t wide = 4;
constexpr std::array<std::uint8_t, 256> classes_of_bytes = [] {
  std::array<std::uint8_t, 256> classes{};
  for (int byte = 0; byte < 256; ++byte) {
    const bool letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
    const bool number = byte >= '0' && byte <= '9';
    const bool space = byte == ' ' || (byte >= 9 && byte <= 13);
    classes[byte] = byte >= 0x80 ? wide : letter ? 1 : number ? 2 : space ? 3 : 0;
  }
  return classes;
}();

struct Step {
  CharClass kind;
  int bytes;
};

Step wide_step(std::string_view text, std::size_t at) {
  const Utf8Char next = utf8_at(text, at);
  return {next.valid ? class_of(next.point) : CharClass::other, next.bytes};
}

inline Step step_at(std::string_view text, std::size_t at) {
  const std::uint8_t kind = classes_of_bytes[static_cast<unsigned char>(text[at])];
  return kind == wide ? wide_step(text, at) : Step{static_cast<CharClass>(kind), 1};
}

// The end of the run of characters of `kind` from `at`.
inline std::size_t run_end(std::string_view text, std::size_t at, CharClass kind) {
  while (at < text.size()) {
    const std::uint8_t byte_kind = classes_of_bytes[static_cast<unsigned char>(text[at])];
    if (byte_kind == static_cast<std::uint8_t>(kind)) {
      ++at;
      continue;
    }
    if (byte_kind != wide) return at;
    const Step step = wide_step(text, at);
    if (step.kind != kind) return at;
    at += step.bytes;
  }
  return at;
}

bool is_line_end(char byte) { return byte == '\r' || byte == '\n'; }

std::size_t line_ends_end(std::string_view text, std::size_t at) {
  while (at < text.size() && is_line_end(text[at])) ++at;
  return at;
}

// Length of 's 'd 'm 't 'll 've 're in either case at `at`, which holds the apostrophe; 0 if there is none.
std::size_t contraction_length(std::string_view text, std::size_t at) {
  const auto lower = [&](std::size_t i) { return i < text.size() && static_cast<unsigned char>(text[i]) < 0x80 ? text[i] | 0x20 : 0; };
  const int first = lower(at + 1);
  if (first == 's' || first == 'd' || first == 'm' || first == 't') return 2;
  const int second = lower(at + 2);
  if ((first == 'l' && second == 'l') || (first == 'v' && second == 'e') || (first == 'r' && second == 'e')) return 3;
  return 0;
}

std::size_t digits_end(std::string_view text, std::size_t at) {
  for (int digits = 0; digits < 3 && at < text.size(); ++digits) {
    const Step step = step_at(text, at);
    if (step.kind != CharClass::number) break;
    at += step.bytes;
  }
  return at;
}

// The last three alternatives. `begin` holds white space that goes with nothing behind it.
std::size_t white_space_end(std::string_view text, std::size_t begin) {
  std::size_t after_line_end = 0;
  std::size_t last = begin;   // where the run's last character begins
  std::size_t at = begin;
  while (at < text.size()) {
    const Step step = step_at(text, at);
    if (step.kind != CharClass::space) break;
    last = at;
    at += step.bytes;
    if (is_line_end(text[last])) after_line_end = at;
  }
  if (after_line_end != 0) return after_line_end;
  if (at == text.size() || last == begin) return at;
  return last;
}

}   // namespace

std::size_t pretoken_end(std::string_view text, std::size_t begin) {
  const char lead = text[begin];
  if (lead == '\'') {
    if (const std::size_t length = contraction_length(text, begin)) return begin + length;
  }
  const Step first = step_at(text, begin);
  const std::size_t second_at = begin + first.bytes;
  if (first.kind == CharClass::letter) return run_end(text, second_at, CharClass::letter);
  if (first.kind == CharClass::number) return digits_end(text, begin);
  if (is_line_end(lead)) return white_space_end(text, begin);

  const bool has_second = second_at < text.size();
  const Step second = has_second ? step_at(text, second_at) : Step{CharClass::space, 0};
  if (has_second && second.kind == CharClass::letter) return run_end(text, second_at + second.bytes, CharClass::letter);
  if (first.kind == CharClass::other) return line_ends_end(text, run_end(text, second_at, CharClass::other));
  if (lead == ' ' && has_second && second.kind == CharClass::other)
    return line_ends_end(text, run_end(text, second_at + second.bytes, CharClass::other));
  return white_space_end(text, begin);
}

std::string pretoken_pattern() {
  const auto spelled = [](CharClass kind) {
    std::string ranges;
    for (const auto& [first, last] : ranges_of(kind)) {
      append_utf8(first, ranges);
      if (last > first + 1) ranges += '-';
      if (last > first) append_utf8(last, ranges);
    }
    return ranges;
  };
  const std::string letters = spelled(CharClass::letter), numbers = spelled(CharClass::number), spaces = spelled(CharClass::space);
  return "'(?:[sSdDmMtT]|[lL][lL]|[vV][eE]|[rR][eE])"
         "|[^\\r\\n" +
         letters + numbers + "]?[" + letters +
         "]+"
         "|[" +
         numbers +
         "]{1,3}"
         "| ?[^" +
         spaces + letters + numbers +
         "]+[\\r\\n]*"
         "|[" +
         spaces +
         "]*[\\r\\n]"
         "|[" +
         spaces + "]+(?![^" + spaces +
         "])"
         "|[" +
         spaces + "]+";
}

std::string pretokenizer_name() { return "lastro-cl100k-1/unicode-" + std::string(unicode_version()); }

namespace {

// Two borders that can be told by the bytes around them alone: after a line end and before what is not white space; and between a letter and a
// space that a letter follows. ASCII neighbours suffice: they are in nearly any text.
bool is_local_cut(std::string_view text, std::size_t at) {
  const auto kind = [&](std::size_t i) { return classes_of_bytes[static_cast<unsigned char>(text[i])]; };
  if (is_line_end(text[at - 1])) return kind(at) < 3;
  return kind(at - 1) == 1 && text[at] == ' ' && at + 1 < text.size() && kind(at + 1) == 1;
}

// A pre-token's end is certain once the character behind it is known, but for white space, which looks on to the next character that is none,
// and would be cut otherwise at the end of a text. So cuts are behind what is not white space, or behind a line end that no more follows.
std::size_t last_scanned_cut(std::string_view text) {
  text.remove_suffix(incomplete_tail(text));
  std::size_t cut = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = pretoken_end(text, begin);
    if (end == text.size()) break;
    const bool after_line_end = is_line_end(text[end - 1]);
    const bool is_white_space = run_end(text, begin, CharClass::space) >= end;
    if (after_line_end ? step_at(text, end).kind != CharClass::space : !is_white_space) cut = end;
    begin = end;
  }
  return cut;
}

}   // namespace

std::size_t last_safe_cut(std::string_view text) {
  constexpr std::size_t looked_back = 4096;
  const std::size_t nearest = text.size() > looked_back ? text.size() - looked_back : 1;
  for (std::size_t at = text.size(); at-- > nearest;)
    if (is_local_cut(text, at)) return at;
  return last_scanned_cut(text);
}

std::size_t TextSegments::segment_length(std::string_view full) {
  if (const std::size_t cut = last_safe_cut(full)) return cut;
  return full.size() - incomplete_tail(full);
}

}   // namespace lastro
