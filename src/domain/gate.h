#pragma once

#include <optional>
#include <string>
#include <vector>

#include "domain/node.h"

namespace lastro {

enum class Comparison { at_most, at_least, less, greater, equal };

// A numeric question asked of what a run measured: "bits_per_byte <= baseline - 1 %".
struct Gate {
  enum class Offset { absolute, percent };

  std::string measurement;   // whose value is judged
  Comparison comparison = Comparison::at_most;
  std::string reference;   // "baseline", the name of a measurement, or "" for a plain number
  double number = 0.0;     // the bound itself, or what is added to the reference
  Offset offset = Offset::absolute;
  Mark mark;

  // As a manifest writes it: "<= baseline - 1 %".
  std::string condition() const;
  bool operator==(const Gate& other) const { return measurement == other.measurement && condition() == other.condition(); }
};

// What became of one gate. A value that is missing fails it.
struct GateOutcome {
  Gate gate;
  std::optional<double> value;
  std::optional<double> bound;
  bool passed = false;
  std::string text;   // "bits_per_byte=2.13 (must be <= xz=1.67)"
};

struct Verdict {
  enum class Answer { ship, hold };
  Answer answer = Answer::ship;
  std::vector<GateOutcome> gates;   // all of them, in the manifest's order

  // "SHIP" or "HOLD: <every failing gate's text>".
  std::string to_string() const;
};

}   // namespace lastro
