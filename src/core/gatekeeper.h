#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/gate.h"
#include "domain/problem.h"

namespace lastro {

// Reads one entry of a manifest's gates:
//
//   condition := comparison value
//   comparison := "<=" | ">=" | "<" | ">" | "=="
//   value := number | name [ ("+" | "-") number [ "%" ] ]
//   name := "baseline" | a measurement: a letter, then letters, digits, "_" and "."
//
// Blanks may stand between any two. `baseline` is the same measurement's value in the baseline report; a percentage is of the reference's size.
// Adds a problem and gives nothing when `condition` is no such text.
std::optional<Gate> parse_gate(const std::string& measurement, const Node& condition, const std::string& file, Problems& problems);

// Numbers by name: what a run measured, what its baseline report says.
using Measurements = std::map<std::string, double, std::less<>>;

// What is measured of every run, whatever its stages.
inline constexpr std::array<std::string_view, 2> run_measurements{"cost_total_usd", "wall_clock_total_sec"};

// What SHIP is worth where a manifest has no gates.
inline constexpr std::string_view no_gates_remark = "no gates: SHIP means only that every stage finished";

// The gates' answer. A gate whose value or reference was not measured (or is not a number) fails and says so.
Verdict judge(const std::vector<Gate>& gates, const Measurements& measured, const Measurements& baseline);

// The numbers of a tree, by their dotted path ("bits_per_byte", "held_out.bits_per_byte"); bools count as 0 and 1.
Measurements measurements_of(const Node& tree);

}   // namespace lastro
