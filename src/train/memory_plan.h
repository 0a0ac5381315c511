#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "domain/ids.h"
#include "model/leaf_pass.h"
#include "train/settings.h"

namespace lastro {

// What one rank's training takes, to the byte where our own code allocates it. Everything is there before the first step.
struct MemoryPlan {
  std::int64_t weights = 0;          // this rank's shards
  std::int64_t optimizer = 0;        // m and v of the shards
  std::int64_t gradients = 0;        // gradient accumulators of the shards
  std::int64_t gather_buffers = 0;   // two whole units of weights; none where one rank has them all
  std::int64_t gradient_unit = 0;    // one whole unit's gradient of one leaf (one rank with a tied head: the embedding's beside it)
  std::int64_t activations = 0;      // one leaf's, with its scratch and tables
  std::int64_t reductions = 0;       // tokens, losses and norms of tiles
  std::int64_t staging = 0;          // copy of the state that a checkpoint is written from
  std::int64_t libraries = 0;        // an estimate: the program itself, and MPI's buffers where there are several ranks

  std::int64_t engine() const { return weights + optimizer + gradients + gather_buffers + gradient_unit + activations + reductions; }
  std::int64_t total() const { return engine() + staging + libraries; }
  bool operator==(const MemoryPlan&) const = default;
};

// The classes by name, in the order above.
struct MemoryLine {
  std::string_view name;
  std::int64_t bytes = 0;
};
std::vector<MemoryLine> lines_of(const MemoryPlan& plan);

// What the work of a step looks like from one rank.
struct EngineShape {
  ModelShape model;   // complete
  LeafShape leaf;
  std::int64_t leaves = 1;
  Keep keep = Keep::everything;
  bool operator==(const EngineShape&) const = default;
};
// `recompute` automatic counts as never.
EngineShape engine_shape(const PretrainSettings& settings, const ModelShape& complete_model);

// Elements of the buffer for one whole unit's gradient. One rank computes a step's first leaf into its accumulators and needs none for it.
std::int64_t gradient_unit_elements(const EngineShape& shape, int world);
// One rank with a tied head keeps the output matrix's gradient until the embedding carries it on: a buffer beside the blocks'. Several
// ranks compute that part again at the end instead (model/leaf_pass.h).
std::int64_t tied_gradient_elements(const EngineShape& shape, int world);
// Bytes of tokens, losses and tile sums.
std::int64_t reduction_bytes(const EngineShape& shape, Rank rank, int world);

// What `rank` of `world` ranks with `workers` threads takes.
MemoryPlan memory_plan(const EngineShape& shape, Rank rank, int world, int workers);

// That of the rank that takes most.
MemoryPlan largest_memory_plan(const EngineShape& shape, int world, int workers);

// The shape with as much recomputation as `limit_bytes` asks for: settings that say so are followed; automatic recomputes blocks only where
// the rest would not fit. 0: no limit. Throws BudgetError, with the classes' numbers and the cheapest change that fits, when nothing does.
EngineShape fit_memory(const PretrainSettings& settings, const ModelShape& complete_model, int world, int workers, std::int64_t limit_bytes);

}   // namespace lastro
