#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/checkpoint.h"
#include "core/collective.h"
#include "domain/workers.h"
#include "model/leaf_pass.h"
#include "model/region.h"
#include "train/decay.h"
#include "train/leaf_source.h"
#include "train/memory_plan.h"
#include "train/unit_window.h"

namespace lastro {

// What this rank wants all ranks to know at the end of a step's gradients; what they agree on is that any of them does.
struct StepFlags {
  bool stop_requested = false;
  bool allocation_failed = false;
  bool non_finite = false;
};

// What the leaves of a step came to: equal on every rank.
struct StepGradient {
  double loss = 0;            // mean over the global batch's tokens, in nats
  double gradient_norm = 0;   // of that mean
  StepFlags agreed;
};

// How an update is made; the learning rate is the schedule's.
struct UpdateRule {
  double learning_rate = 0;
  double beta1 = 0.9;
  double beta2 = 0.95;
  double eps = 1e-8;
  double weight_decay = 0;   // of matrices; vectors (norms) do not decay
  double clip_norm = 0;      // 0: never
  std::int64_t update = 1;   // counts from 1: updates made, this one included
};

// ZeRO-3: weights, gradients and optimizer states are sharded by intervals of tiles within each unit; a unit is gathered to be used and
// freed after. Resident at most, with several ranks: two gathered units and one full gradient unit. One rank works on its shards in place.
//
// Same bits for any number of ranks and threads: leaf v of a step runs on rank v mod N at micro-step v div N; its gradients are complete
// before they are added; the owner of a slice adds them in leaf order; norms go by a fixed tree over all tiles, losses in leaf order. In a
// last, partial micro-step ranks without a leaf still take part in every gather and fold.
//
// Everything is allocated and touched at construction; a step allocates nothing.
class Zero3Engine {
 public:
  // Throws UsageError when there are more ranks than leaves. `ranks` and `workers` outlive the engine. Weights, m and v are zero.
  Zero3Engine(Collective& ranks, Workers& workers, const EngineShape& shape);

  Zero3Engine(const Zero3Engine&) = delete;
  Zero3Engine& operator=(const Zero3Engine&) = delete;

  const EngineShape& shape() const { return shape_; }
  const StateLayout& layout() const { return layout_; }

  // This rank's weights, m and v: to be filled before the first step, saved and restored.
  StateView state();

  // Initial weights of `seed`; m and v zero.
  void initialise(std::uint64_t seed);

  // Forward and backward over all leaves of data step `data_step`: afterwards the accumulators hold the gradient's sum over tokens.
  // One all_max of flags is in it; `mine.allocation_failed` and `.non_finite` are added to by the step itself.
  StepGradient accumulate(LeafSource& source, std::int64_t data_step, StepFlags mine);

  // Clips the accumulated gradient and moves this rank's shards.
  void apply(const UpdateRule& rule);

  std::int64_t tokens_per_step() const { return shape_.leaves * shape_.leaf.rows(); }

  // This rank's part of the accumulated gradient of a unit: the sum over the step's tokens, not their mean.
  std::span<const float> gradient(int unit) const { return gradient_shards_[unit]; }

  // What is allocated, by the classes of the plan; staging and libraries are not the engine's and zero here.
  MemoryPlan allocated() const;

 private:
  void forward(std::int64_t micro_step);
  void backward(std::int64_t micro_step);
  void load_leaf(LeafSource& source, std::int64_t data_step, std::int64_t leaf, StepFlags& flags);
  std::int64_t leaf_of(std::int64_t micro_step) const { return micro_step * ranks_.size() + ranks_.rank().value; }
  bool has_leaf(std::int64_t micro_step) const { return leaf_of(micro_step) < shape_.leaves; }
  bool is_tied() const { return shape_.model.tied; }

  // Where this rank's leaf writes a unit's gradient; for a tied head, where the output matrix's part waits for the embedding's (or nowhere).
  std::span<float> gradient_target(std::int64_t micro_step, int unit);
  std::span<float> tied_target(std::int64_t micro_step);
  void fold(std::int64_t micro_step, int unit);

  double fold_losses();
  double sum_of_squares();
  StepFlags agree(StepFlags mine);

  // Fixed at construction.
  Collective& ranks_;
  Workers& workers_;
  EngineShape shape_;
  StateLayout layout_;
  UnitCuts cuts_;
  std::int64_t micro_steps_;
  std::vector<std::int64_t> loss_bytes_;              // of each rank
  std::vector<std::int64_t> tile_bytes_;              // of each rank
  std::vector<std::vector<DecayPart>> decay_parts_;   // a unit each

  // Memory, and the views into it.
  Region weights_memory_;
  Region optimizer_memory_;
  Region gradients_memory_;
  Region gradient_unit_memory_;
  Region reductions_memory_;
  std::vector<std::span<float>> weight_shards_;   // a unit each
  std::vector<std::span<float>> m_shards_;
  std::vector<std::span<float>> v_shards_;
  std::vector<std::span<float>> gradient_shards_;
  std::span<float> gradient_unit_;
  std::span<float> tied_gradient_;   // one rank with a tied head: the embedding's gradient beside a block's
  std::span<TokenId> leaf_tokens_;   // [sequences, context + 1]
  std::span<TokenId> inputs_;        // [rows]
  std::span<TokenId> targets_;       // [rows]
  std::span<float> loss_weights_;    // [rows]
  std::span<float> logprobs_;        // [rows]
  std::span<double> my_losses_;      // a micro-step each
  std::span<double> all_losses_;     // [ranks, micro-steps]
  std::span<double> my_tile_sums_;
  std::span<double> all_tile_sums_;   // in rank order
  std::span<double> tree_;            // in the order of units and tiles
  UnitWindow window_;
  LeafPass pass_;
  double sum_of_squares_ = 0;   // of the mean gradient, from accumulate to apply
};

}   // namespace lastro
