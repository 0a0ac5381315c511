#pragma once

#include <functional>
#include <optional>

#include "core/tracker.h"
#include "runtime/carry_out.h"
#include "runtime/run_record.h"

namespace lastro {

// A stage that is to be made next, with everything resolved but the folders.
struct NextStage {
  StageOrder order;
  Node recipe;                                          // what order.key is the hash of
  std::vector<std::pair<std::string, Digest>> inputs;   // by port, for the record
  std::optional<Digest> expected;                       // what the manifest says it must come out as
  std::string expected_by;                              // where it says so: "manifest.yaml:14"
  std::vector<std::string> dependants;                  // stages that build on it
};

// What rank 0 brings to a run, besides its StageMachine.
struct Orchestra {
  std::function<std::optional<NextStage>()> next_stage;   // plans anew: what is in the store is not made again
  double usd_per_second = 0;                              // of all ranks together
  std::optional<double> budget_usd;
};

// How a stage is shown and logged on this rank.
class StageView {
 public:
  virtual ~StageView() = default;
  virtual Tracker& begins(const StageOrder& order) = 0;
  virtual void made(const StageOrder& order, const MadeArtifact& artifact, double wall_clock_s) = 0;
};

// Makes every stage that next_stage names, in order; every rank calls it, rank 0 with an orchestra. Each artifact is committed to the store and
// entered in the run's record. What a stage throws passes on: whoever catches it, on whatever rank, enters it by enter_failure. Preempted is entered
// here. Also throws ContractError when a stage comes out otherwise than expected, BudgetError when the money is spent.
void run_stages(StageMachine& machine, const std::filesystem::path& run, StageView& view, const Orchestra* orchestra);

// Enters in the record of `run` that the stage at work failed and why: for a rank, or a front, that is about to end. Does nothing where no stage
// is at work.
void enter_failure(const std::filesystem::path& run, const std::string& cause);

}   // namespace lastro
