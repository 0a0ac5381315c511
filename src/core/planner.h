#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/plan.h"
#include "core/stage_registry.h"
#include "domain/manifest.h"

namespace lastro {

// What a plan depends on besides the manifest.
struct Surroundings {
  Sources sources;   // every source of the manifest, resolved
  int ranks = 1;
  int threads_per_rank = 1;
  double measured_peak_flops = 0;          // of one device, a second; 0: not measured. The manifest's number goes first
  std::int64_t memory_limit_bytes = 0;     // of one rank, by the machine; 0: none. The manifest's may be smaller
  std::string numerics = "fp32/1/exact";   // {precision, version of the rules, exact or fast}

  // What the store has: the artifact that a stage key led to, and what the last run of the stage of that name had as its key's fields.
  std::function<std::optional<Digest>(const std::string& stage, const Digest& key)> find_output;
  std::function<std::optional<Node>(const std::string& stage)> last_key_fields;
  std::function<std::optional<Node>(const Digest& artifact)> summary_of;   // of an artifact that find_output named
};

struct Planned {
  Plan plan;
  std::vector<std::string> excesses;   // what breaks budget or memory, with numbers and the cheapest change that fits
};

// A pure function. Requires: the manifest was read without problems.
Planned plan(const Manifest& manifest, const StageRegistry& registry, const Surroundings& surroundings);

// Throws BudgetError with every excess; nothing when there is none.
void refuse_excesses(const Planned& planned);

// The stages that build on a stage, however far, in the plan's order.
std::vector<std::size_t> descendants(const Plan& plan, std::size_t stage);

// The input hash of a record: the digest of the first artifact, or of the first source where a stage takes sources alone.
std::vector<std::pair<std::string, Digest>> input_digests(const PlannedStage& stage);

}   // namespace lastro
