#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/resources.h"
#include "domain/artifact.h"
#include "domain/digest.h"
#include "domain/node.h"
#include "domain/source.h"

namespace lastro {

// What a port gets, resolved.
struct PlannedInput {
  std::string port;
  std::optional<std::size_t> stage;   // artifact: the planned stage that makes it, by its place in the plan
  std::optional<Digest> digest;       // artifact: once it is known
  Sources sources;                    // text sources, in the manifest's order of naming
};

struct PlannedStage {
  std::string name;
  std::string kind;
  int version = 1;
  Node settings;   // complete
  std::vector<PlannedInput> inputs;
  ArtifactType output_type = ArtifactType::vocabulary;

  Node key_fields;   // what the key is the hash of: {kind, version, settings, inputs, seed, numerics}
  Digest key;
  bool key_is_final = false;   // every input's digest is known; before that, the key of the stage that makes it stands in

  std::optional<Digest> output;   // in the store already, or made by now
  std::string why;                // why it has to run: "settings.width was 128, is 64"; empty when it has not
  std::optional<Digest> expected_output;

  Resources resources;
  double device_s = 0;   // estimated
  double cost_usd = 0;
};

// What stages write to disk, in bytes, by place (DiskShare).
struct DiskNeed {
  std::int64_t store = 0;
  std::int64_t linked = 0;
  std::int64_t run = 0;
  std::int64_t work = 0;   // of the stage that needs most: one runs at a time
};

// Ordered stages with everything resolved.
struct Plan {
  std::string name;
  std::uint64_t seed = 0;
  std::string numerics;
  int ranks = 1;
  int threads_per_rank = 1;
  double peak_flops = 0;   // of one device; 0: unknown, and then so is the time of what is counted in FLOPs
  std::int64_t memory_limit_bytes = 0;
  std::vector<PlannedStage> stages;

  // Of what is left to run.
  double device_s() const;
  double wall_s() const { return device_s() / ranks; }
  double cost_usd() const;
  DiskNeed disk() const;
};

// As plain values, for --json.
Node to_node(const Plan& plan);

}   // namespace lastro
