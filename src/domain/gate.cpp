#include "domain/gate.h"

#include <charconv>
#include <cmath>

namespace lastro {
namespace {

std::string_view sign_of(Comparison comparison) {
  switch (comparison) {
    case Comparison::at_most: return "<=";
    case Comparison::at_least: return ">=";
    case Comparison::less: return "<";
    case Comparison::greater: return ">";
    case Comparison::equal: return "==";
  }
  return "?";
}

std::string shortest(double value) {
  char digits[32];
  return std::string(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

}   // namespace

std::string Gate::condition() const {
  std::string text(sign_of(comparison));
  if (reference.empty()) return text + " " + shortest(number);
  text += " " + reference;
  if (number != 0.0) text += (number < 0.0 ? " - " : " + ") + shortest(std::abs(number)) + (offset == Offset::percent ? " %" : "");
  return text;
}

std::string Verdict::to_string() const {
  if (answer == Answer::ship) return "SHIP";
  std::string reasons;
  for (const GateOutcome& outcome : gates)
    if (!outcome.passed) reasons += (reasons.empty() ? "" : "; ") + outcome.text;
  return "HOLD: " + reasons;
}

}   // namespace lastro
