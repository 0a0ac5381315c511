#include "core/rollback.h"

#include <algorithm>

#include "core/nearest.h"
#include "core/planner.h"
#include "domain/errors.h"

namespace lastro {
namespace {

std::size_t place_of(const Plan& plan, std::string_view name) {
  std::vector<std::string_view> names;
  std::vector<std::size_t> ending;
  for (std::size_t i = 0; i < plan.stages.size(); ++i) {
    const std::string_view full = plan.stages[i].name;
    if (full == name) return i;
    if (full.size() > 3 && full.substr(3) == name) ending.push_back(i);
    names.push_back(full);
  }
  if (ending.size() == 1) return ending[0];
  throw UsageError("there is no stage \"" + std::string(name) + "\"" + suggestion(name, names));
}

void add_largest(std::vector<MemoryShare>& memory, const MemoryShare& share) {
  const auto known = std::find_if(memory.begin(), memory.end(), [&](const MemoryShare& one) { return one.name == share.name; });
  if (known == memory.end())
    memory.push_back(share);
  else
    known->bytes = std::max(known->bytes, share.bytes);
}

}   // namespace

Rollback rollback_of(const Plan& plan, std::string_view stage) {
  const std::size_t first = place_of(plan, stage);
  Rollback rollback;
  rollback.stages = descendants(plan, first);
  rollback.stages.insert(rollback.stages.begin(), first);
  for (const std::size_t index : rollback.stages) {
    const PlannedStage& planned = plan.stages[index];
    rollback.device_s += planned.device_s;
    rollback.cost_usd += planned.cost_usd;
    rollback.flops += planned.resources.flops;
    for (const MemoryShare& share : planned.resources.memory_per_rank) add_largest(rollback.memory_per_rank, share);
  }
  return rollback;
}

}   // namespace lastro
