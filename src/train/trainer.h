#pragma once

#include <cstdint>
#include <vector>

#include "core/stage.h"
#include "model/shape.h"
#include "train/guard.h"
#include "train/leaf_source.h"
#include "train/settings.h"

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

// Trains from scratch or from this stage's newest verified checkpoint to settings.steps, and publishes the last checkpoint into run.output.
// Result: content = the digest of the logical state; summary {parameters, steps, tokens, loss, skipped_steps, roll_backs}; measured
// {tokens_per_s, share_of_peak, peak_rss_bytes}. Every rank calls it together and gets the same summary.
//
// Same settings, seed, model and data: same state, whatever ranks, threads, restarts and saves. `model` is complete.
// Throws Preempted after saving when any rank was asked to stop, DivergedError when the guard's roll-backs are used up, BudgetError when
// the memory plan does not fit, UsageError when there are more ranks than leaves.
StageResult train(RunContext& run, const PretrainSettings& settings, const ModelShape& model, LeafSource& source);

}  // namespace lastro
