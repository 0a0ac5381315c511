#include "core/text_of_number.h"

#include <charconv>

namespace lastro {
namespace {

template <class Number>
std::string shortest(Number value) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  return std::string(digits, end);
}

}   // namespace

std::string text_of(std::int64_t value) { return shortest(value); }

std::string text_of(double value) {
  std::string text = shortest(value);
  if (text.find_first_of(".enN") == text.npos) text += ".0";
  return text;
}

std::string counted(std::int64_t count, std::string_view thing) { return text_of(count) + " " + std::string(thing) + (count == 1 ? "" : "s"); }

}   // namespace lastro
