#pragma once

#include <cstdint>
#include <vector>

#include "domain/node.h"
#include "train/guard.h"

namespace lastro {

// Steps that were taken back: from the beginning of step `to_step` on, training went another way, past the data [data_begin, data_end).
struct RollBack {
  std::int64_t to_step = 0;
  std::int64_t data_begin = 0;
  std::int64_t data_end = 0;
  bool operator==(const RollBack&) const = default;
};

// Everything that changes while training goes on, besides weights, m and v. A checkpoint carries all of it.
struct TrainProgress {
  std::int64_t steps = 0;     // done, applied or skipped
  std::int64_t updates = 0;   // applied
  double last_loss = 0;       // of the last applied step
  double last_norm = 0;
  std::vector<RollBack> roll_backs;
  Guard guard;

  explicit TrainProgress(const GuardSettings& settings) : guard(settings) {}

  Node to_node() const;
  // Throws ContractError when the node is not what to_node writes.
  void from_node(const Node& node);
};

// The data step that optimizer step `step` (counted from 0) learns from: the step's own number, moved on by what was left out.
std::int64_t data_step_of(std::int64_t step, const std::vector<RollBack>& roll_backs);

}   // namespace lastro
