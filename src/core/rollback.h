#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/plan.h"

namespace lastro {

// What rolling a stage back invalidates, and what running it again takes. Artifacts stay in the store.
struct Rollback {
  std::vector<std::size_t> stages;   // the stage and its descendants, in the plan's order
  double device_s = 0;
  double cost_usd = 0;
  double flops = 0;
  std::vector<MemoryShare> memory_per_rank;   // by class, of the stage that takes most of it
};

// Throws UsageError, naming the nearest stage, when there is none of that name ("04_pretrain", or "pretrain" where one stage ends so).
Rollback rollback_of(const Plan& plan, std::string_view stage);

}   // namespace lastro
