#include "core/gatekeeper.h"

#include <charconv>
#include <cmath>

#include "core/settings.h"
#include "core/text_of_number.h"

namespace lastro {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_name_part(char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '.'; }

// Reads a condition from the left; each function takes what it recognises.
class ConditionReader {
 public:
  explicit ConditionReader(std::string_view text) : rest_(text) {}

  bool is_at_end() {
    skip_blanks();
    return rest_.empty();
  }

  std::optional<Comparison> comparison() {
    if (take("<=")) return Comparison::at_most;
    if (take(">=")) return Comparison::at_least;
    if (take("==")) return Comparison::equal;
    if (take("<")) return Comparison::less;
    if (take(">")) return Comparison::greater;
    return std::nullopt;
  }

  std::string name() {
    skip_blanks();
    std::size_t length = 0;
    if (!rest_.empty() && is_letter(rest_.front()))
      while (length < rest_.size() && is_name_part(rest_[length])) ++length;
    return std::string(take_bytes(length));
  }

  std::optional<double> number() {
    skip_blanks();
    double value = 0.0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc() || !std::isfinite(value)) return std::nullopt;
    take_bytes(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }

  bool take(std::string_view sign) {
    skip_blanks();
    if (!rest_.starts_with(sign)) return false;
    rest_.remove_prefix(sign.size());
    return true;
  }

 private:
  void skip_blanks() {
    while (rest_.starts_with(' ')) rest_.remove_prefix(1);
  }
  std::string_view take_bytes(std::size_t count) {
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }

  std::string_view rest_;
};

// Empty when all was understood.
std::string read_condition(std::string_view text, Gate& gate) {
  ConditionReader reader(text);
  const auto comparison = reader.comparison();
  if (!comparison) return "must begin with <=, >=, <, > or ==";
  gate.comparison = *comparison;
  gate.reference = reader.name();
  if (gate.reference.empty()) {
    const auto number = reader.number();
    if (!number) return "needs a number, baseline or the name of a measurement behind the comparison";
    gate.number = *number;
  } else if (!reader.is_at_end()) {
    const double sign = reader.take("+") ? 1.0 : reader.take("-") ? -1.0 : 0.0;
    const auto number = sign == 0.0 ? std::nullopt : reader.number();
    if (!number || *number < 0.0) return "may add + or - and a number to " + gate.reference;
    gate.number = sign * *number;
    if (reader.take("%")) gate.offset = Gate::Offset::percent;
  }
  return reader.is_at_end() ? "" : "goes on where it should end";
}

std::optional<double> find(const Measurements& values, std::string_view name) {
  const auto found = values.find(name);
  return found == values.end() ? std::nullopt : std::optional(found->second);
}

std::optional<double> reference_value(const Gate& gate, const Measurements& measured, const Measurements& baseline) {
  return gate.reference == "baseline" ? find(baseline, gate.measurement) : find(measured, gate.reference);
}

std::optional<double> bound_of(const Gate& gate, const Measurements& measured, const Measurements& baseline) {
  if (gate.reference.empty()) return gate.number;
  const auto reference = reference_value(gate, measured, baseline);
  if (!reference) return std::nullopt;
  return *reference + (gate.offset == Gate::Offset::percent ? std::abs(*reference) * gate.number / 100.0 : gate.number);
}

bool holds(Comparison comparison, double value, double bound) {
  switch (comparison) {
    case Comparison::at_most: return value <= bound;
    case Comparison::at_least: return value >= bound;
    case Comparison::less: return value < bound;
    case Comparison::greater: return value > bound;
    case Comparison::equal: return value == bound;
  }
  return false;
}

std::string outcome_text(const GateOutcome& outcome) {
  const Gate& gate = outcome.gate;
  if (!outcome.value) return gate.measurement + " was not measured (must be " + gate.condition() + ")";
  const std::string value = gate.measurement + "=" + text_of(*outcome.value);
  if (!outcome.bound) {
    const std::string missing =
        gate.reference == "baseline" ? "the baseline report has no " + gate.measurement : gate.reference + " was not measured";
    return value + " (must be " + gate.condition() + ", and " + missing + ")";
  }
  const std::string is = gate.reference.empty() ? "" : ", which is " + text_of(*outcome.bound);
  return value + " (must be " + gate.condition() + is + ")";
}

void collect(const Node& node, const std::string& path, Measurements& values) {
  if (node.is_number()) values[path] = node.number();
  if (const bool* boolean = node.as<bool>()) values[path] = *boolean ? 1.0 : 0.0;
  for (const Entry& entry : node.entries()) collect(entry.value, path.empty() ? entry.key : path + "." + entry.key, values);
}

}   // namespace

std::optional<Gate> parse_gate(const std::string& measurement, const Node& condition, const std::string& file, Problems& problems) {
  Gate gate;
  gate.measurement = measurement;
  gate.mark = condition.mark;
  const std::string* text = condition.as<std::string>();
  std::string reason = text ? read_condition(*text, gate) : "must be a comparison in quotes";
  if (reason.empty() && gate.reference == measurement) reason = "compares it with itself, which passes or fails whatever the run does";
  if (reason.empty()) return gate;
  const std::string example = measurement + ": \"<= 25.0\" or \">= baseline + 0.5\"";
  problems.push_back({file, condition.mark, "gates." + measurement + "=" + shown(condition) + " (" + reason + ") as in " + example});
  return std::nullopt;
}

Verdict judge(const std::vector<Gate>& gates, const Measurements& measured, const Measurements& baseline) {
  Verdict verdict;
  for (const Gate& gate : gates) {
    GateOutcome outcome{gate, find(measured, gate.measurement), bound_of(gate, measured, baseline), false, ""};
    outcome.passed = outcome.value && outcome.bound && holds(gate.comparison, *outcome.value, *outcome.bound);
    outcome.text = outcome_text(outcome);
    if (!outcome.passed) verdict.answer = Verdict::Answer::hold;
    verdict.gates.push_back(std::move(outcome));
  }
  return verdict;
}

Measurements measurements_of(const Node& tree) {
  Measurements values;
  collect(tree, "", values);
  return values;
}

}   // namespace lastro
