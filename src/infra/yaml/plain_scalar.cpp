#include "infra/yaml/plain_scalar.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <limits>

namespace lastro {
namespace {

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool are_digits(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), is_digit); }

std::string_view without_sign(std::string_view word) {
  if (word.starts_with('+') || word.starts_with('-')) word.remove_prefix(1);
  return word;
}

// (\.[0-9]+ | [0-9]+(\.[0-9]*)?) ([eE][-+]?[0-9]+)?
bool is_real(std::string_view text) {
  const std::size_t exponent = text.find_first_of("eE");
  if (exponent != text.npos && !are_digits(without_sign(text.substr(exponent + 1)))) return false;
  const std::string_view mantissa = text.substr(0, exponent);
  const std::size_t point = mantissa.find('.');
  if (point == mantissa.npos) return are_digits(mantissa);
  const std::string_view before = mantissa.substr(0, point), after = mantissa.substr(point + 1);
  if (before.empty()) return are_digits(after);
  return are_digits(before) && (after.empty() || are_digits(after));
}

PlainScalar whole_number(std::string_view word, std::string_view digits, int base) {
  std::uint64_t magnitude = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), magnitude, base);
  if (end != digits.data() + digits.size() && error == std::errc()) return {Node(word), ""};
  const bool is_negative = word.starts_with('-');
  const std::uint64_t most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) + (is_negative ? 1 : 0);
  if (error != std::errc() || magnitude > most)
    return {Node(false), is_negative ? " is too small (whole numbers begin at -9223372036854775808; put it in quotes if it is a text)"
                                     : " is too large (whole numbers end at 9223372036854775807; put it in quotes if it is a text)"};
  return {Node(static_cast<std::int64_t>(is_negative ? 0 - magnitude : magnitude)), ""};
}

PlainScalar real_number(std::string_view word) {
  double value = 0.0;
  const std::string_view digits = word.starts_with('+') ? word.substr(1) : word;
  if (std::from_chars(digits.data(), digits.data() + digits.size(), value).ec != std::errc())
    return {Node(false), " is beyond the range of a number (put it in quotes if it is a text)"};
  return {Node(value), ""};
}

}   // namespace

PlainScalar resolve_plain(std::string_view word) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (is_one_of(word, {"", "~", "null", "Null", "NULL"})) return {Node(nullptr), ""};
  if (is_one_of(word, {"true", "True", "TRUE"})) return {Node(true), ""};
  if (is_one_of(word, {"false", "False", "FALSE"})) return {Node(false), ""};
  if (is_one_of(word, {".nan", ".NaN", ".NAN"})) return {Node(std::nan("")), ""};
  const std::string_view digits = without_sign(word);
  if (is_one_of(digits, {".inf", ".Inf", ".INF"})) return {Node(word.starts_with('-') ? -infinity : infinity), ""};
  if (word.size() > 2 && word.starts_with("0o")) return whole_number(word, word.substr(2), 8);
  if (word.size() > 2 && word.starts_with("0x")) return whole_number(word, word.substr(2), 16);
  if (are_digits(digits)) {
    if (digits.size() > 1 && digits.front() == '0')
      return {Node(false), " has a leading zero (octal to some readers: write 0o for that; put it in quotes if it is a text)"};
    return whole_number(word, digits, 10);
  }
  if (is_real(digits)) return real_number(word);
  return {Node(word), ""};
}

}   // namespace lastro
