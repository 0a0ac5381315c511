#include "train/memory_plan.h"

#include <algorithm>
#include <string>

#include "core/cost.h"
#include "core/resources.h"
#include "domain/errors.h"
#include "model/region.h"
#include "model/tensors.h"
#include "train/unit_window.h"

namespace lastro {
namespace {

std::string numbers_of(const MemoryPlan& plan) {
  std::string text;
  for (const MemoryLine& line : lines_of(plan)) text += (text.empty() ? "" : ", ") + std::string(line.name) + " " + bytes_text(line.bytes);
  return text;
}

bool fits(const EngineShape& shape, int world, int workers, std::int64_t limit_bytes) {
  return largest_memory_plan(shape, world, workers).total() <= limit_bytes;
}

// The first of some changes, the cheapest first, with which the plan fits.
std::string cheapest_change(EngineShape shape, int world, int workers, std::int64_t limit_bytes) {
  shape.keep = Keep::inputs;
  if (fits(shape, world, workers, limit_bytes)) return "recompute: blocks fits";
  for (int ranks = world + 1; ranks <= std::min<std::int64_t>(shape.leaves, 64); ++ranks)
    if (fits(shape, ranks, workers, limit_bytes)) return std::to_string(ranks) + " ranks fit, with as much memory each";
  for (EngineShape less = shape; less.leaf.sequences > 1;) {
    less.leaf.sequences /= 2;
    if (fits(less, world, workers, limit_bytes)) return "sequences_per_leaf: " + std::to_string(less.leaf.sequences) + " fits (with more leaves)";
  }
  return "take a smaller model";
}

}   // namespace

std::vector<MemoryLine> lines_of(const MemoryPlan& plan) {
  return {{"weights", plan.weights},
          {"optimizer", plan.optimizer},
          {"gradients", plan.gradients},
          {"gather_buffers", plan.gather_buffers},
          {"gradient_unit", plan.gradient_unit},
          {"activations", plan.activations},
          {"reductions", plan.reductions},
          {"staging", plan.staging},
          {"libraries", plan.libraries}};
}

EngineShape engine_shape(const PretrainSettings& settings, const ModelShape& complete_model) {
  return {complete_model,
          {settings.batch.sequences_per_leaf, complete_model.context},
          settings.batch.leaves,
          settings.recompute == Recompute::blocks ? Keep::inputs : Keep::everything};
}

std::int64_t gradient_unit_elements(const EngineShape& shape, int world) {
  if (world > 1) return largest_unit_elements(shape.model);
  if (shape.leaves == 1) return 0;
  const StateLayout layout = state_layout(shape.model);
  std::int64_t longest = 0;
  for (int unit = shape.model.tied ? block_unit(0) : embedding_unit(); unit < unit_count(shape.model); ++unit)
    longest = std::max(longest, layout.units[unit].elements);
  return longest;
}

std::int64_t tied_gradient_elements(const EngineShape& shape, int world) {
  if (world > 1 || shape.leaves == 1 || !shape.model.tied) return 0;
  return state_layout(shape.model).units[embedding_unit()].elements;
}

std::int64_t reduction_bytes(const EngineShape& shape, Rank rank, int world) {
  const UnitCuts cuts(state_layout(shape.model), rank, world);
  const std::int64_t rows = shape.leaf.rows();
  const std::int64_t micro_steps = (shape.leaves + world - 1) / world;
  const std::int64_t tokens = Region::bytes_of<TokenId>(rows + shape.leaf.sequences) + 2 * Region::bytes_of<TokenId>(rows);
  const std::int64_t losses =
      2 * Region::bytes_of<float>(rows) + Region::bytes_of<double>(micro_steps) + Region::bytes_of<double>(micro_steps * world);
  const std::int64_t tile_sums = Region::bytes_of<double>(cuts.tiles_of_rank(rank.value)) + 2 * Region::bytes_of<double>(cuts.all_tiles());
  return tokens + losses + tile_sums;
}

MemoryPlan memory_plan(const EngineShape& shape, Rank rank, int world, int workers) {
  const StateLayout layout = state_layout(shape.model);
  const UnitCuts cuts(layout, rank, world);
  MemoryPlan plan;
  for (int unit = 0; unit < cuts.units(); ++unit) plan.weights += Region::bytes_of<float>(cuts.mine(unit).size());
  plan.gradients = plan.weights;
  plan.optimizer = 2 * plan.weights;
  if (world > 1)
    for (const std::int64_t elements : UnitWindow::buffer_elements(shape.model, layout)) plan.gather_buffers += Region::bytes_of<float>(elements);
  plan.gradient_unit = Region::bytes_of<float>(gradient_unit_elements(shape, world)) + Region::bytes_of<float>(tied_gradient_elements(shape, world));
  plan.activations = leaf_pass_bytes(shape.model, shape.leaf, shape.keep, workers).total();
  plan.reductions = reduction_bytes(shape, rank, world);
  plan.staging = plan.weights + plan.optimizer;
  plan.libraries = program_memory_bytes(world);
  return plan;
}

MemoryPlan largest_memory_plan(const EngineShape& shape, int world, int workers) {
  MemoryPlan largest;
  for (int rank = 0; rank < world; ++rank) {
    const MemoryPlan plan = memory_plan(shape, Rank{rank}, world, workers);
    if (plan.total() > largest.total()) largest = plan;
  }
  return largest;
}

EngineShape fit_memory(const PretrainSettings& settings, const ModelShape& complete_model, int world, int workers, std::int64_t limit_bytes) {
  EngineShape shape = engine_shape(settings, complete_model);
  if (limit_bytes <= 0 || fits(shape, world, workers, limit_bytes)) return shape;
  if (settings.recompute == Recompute::automatic) {
    shape.keep = Keep::inputs;
    if (fits(shape, world, workers, limit_bytes)) return shape;
  }
  const MemoryPlan plan = largest_memory_plan(shape, world, workers);
  throw BudgetError("training needs " + bytes_text(plan.total()) + " a rank, the limit is " + bytes_text(limit_bytes) + " (" + numbers_of(plan) +
                    ") " + cheapest_change(shape, world, workers, limit_bytes));
}

}   // namespace lastro
