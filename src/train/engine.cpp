#include "train/engine.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>
#include <string>

#include "domain/errors.h"
#include "kernels/denormals.h"
#include "kernels/optimizer.h"
#include "model/init.h"
#include "model/tensors.h"

namespace lastro {
namespace {

const EngineShape& checked(const EngineShape& shape, int world) {
  if (shape.leaves < world)
    throw UsageError(std::to_string(world) + " ranks for batch.leaves=" + std::to_string(shape.leaves) +
                     " (a leaf is one rank's work; some ranks would never have any) run with at most " + std::to_string(shape.leaves) + " ranks");
  return shape;
}

std::int64_t bytes_of_shards(const UnitCuts& cuts) {
  std::int64_t bytes = 0;
  for (int unit = 0; unit < cuts.units(); ++unit) bytes += Region::bytes_of<float>(cuts.mine(unit).size());
  return bytes;
}

std::vector<std::span<float>> take_shards(Region& memory, const UnitCuts& cuts) {
  std::vector<std::span<float>> shards;
  for (int unit = 0; unit < cuts.units(); ++unit) shards.push_back(memory.take<float>(cuts.mine(unit).size()));
  return shards;
}

// Each row of `tokens` is a sequence and the token after it: the inputs are all but its last, the targets all but its first.
void split_rows(std::span<const TokenId> tokens, LeafShape leaf, std::span<TokenId> inputs, std::span<TokenId> targets) {
  for (std::int64_t row = 0; row < leaf.sequences; ++row) {
    const auto sequence = tokens.subspan(row * (leaf.tokens + 1), leaf.tokens + 1);
    std::copy(sequence.begin(), sequence.end() - 1, inputs.begin() + row * leaf.tokens);
    std::copy(sequence.begin() + 1, sequence.end(), targets.begin() + row * leaf.tokens);
  }
}

std::span<float> cut(std::span<float> values, Interval part) {
  return values.subspan(static_cast<std::size_t>(part.begin), static_cast<std::size_t>(part.size()));
}

}   // namespace

Zero3Engine::Zero3Engine(Collective& ranks, Workers& workers, const EngineShape& shape)
    : ranks_(ranks),
      workers_(workers),
      shape_(checked(shape, ranks.size())),
      layout_(state_layout(shape.model)),
      cuts_(layout_, ranks.rank(), ranks.size()),
      micro_steps_((shape.leaves + ranks.size() - 1) / ranks.size()),
      loss_bytes_(ranks.size(), micro_steps_ * static_cast<std::int64_t>(sizeof(double))),
      weights_memory_(bytes_of_shards(cuts_), "weights"),
      optimizer_memory_(2 * bytes_of_shards(cuts_), "optimizer states"),
      gradients_memory_(bytes_of_shards(cuts_), "gradients"),
      gradient_unit_memory_(
          Region::bytes_of<float>(gradient_unit_elements(shape, ranks.size())) + Region::bytes_of<float>(tied_gradient_elements(shape, ranks.size())),
          "a unit's gradient"),
      reductions_memory_(reduction_bytes(shape, ranks.rank(), ranks.size()), "tokens, losses and norms"),
      weight_shards_(take_shards(weights_memory_, cuts_)),
      m_shards_(take_shards(optimizer_memory_, cuts_)),
      v_shards_(take_shards(optimizer_memory_, cuts_)),
      gradient_shards_(take_shards(gradients_memory_, cuts_)),
      gradient_unit_(gradient_unit_memory_.take<float>(gradient_unit_elements(shape, ranks.size()))),
      tied_gradient_(gradient_unit_memory_.take<float>(tied_gradient_elements(shape, ranks.size()))),
      leaf_tokens_(reductions_memory_.take<TokenId>(shape.leaf.rows() + shape.leaf.sequences)),
      inputs_(reductions_memory_.take<TokenId>(shape.leaf.rows())),
      targets_(reductions_memory_.take<TokenId>(shape.leaf.rows())),
      loss_weights_(reductions_memory_.take<float>(shape.leaf.rows())),
      logprobs_(reductions_memory_.take<float>(shape.leaf.rows())),
      my_losses_(reductions_memory_.take<double>(micro_steps_)),
      all_losses_(reductions_memory_.take<double>(micro_steps_ * ranks.size())),
      my_tile_sums_(reductions_memory_.take<double>(cuts_.tiles_of_rank(ranks.rank().value))),
      all_tile_sums_(reductions_memory_.take<double>(cuts_.all_tiles())),
      tree_(reductions_memory_.take<double>(cuts_.all_tiles())),
      window_(ranks, cuts_, shape_.model, layout_, weight_shards_),
      pass_(shape_.model, shape_.leaf, shape_.keep, workers) {
  const auto units = unit_tensors(shape_.model);
  for (int unit = 0; unit < cuts_.units(); ++unit) decay_parts_.push_back(decay_parts(units[unit], cuts_.mine(unit)));
  for (int rank = 0; rank < ranks.size(); ++rank) tile_bytes_.push_back(cuts_.tiles_of_rank(rank) * static_cast<std::int64_t>(sizeof(double)));
  std::fill(loss_weights_.begin(), loss_weights_.end(), 1.0f);   // the mean is taken once, over the whole batch
}

StateView Zero3Engine::state() { return {layout_, {weight_shards_, m_shards_, v_shards_}}; }

void Zero3Engine::initialise(std::uint64_t seed) {
  for (int unit = 0; unit < cuts_.units(); ++unit) {
    lastro::initialise(shape_.model, seed, unit, cuts_.mine(unit), weight_shards_[unit]);
    kernels::fill(workers_, m_shards_[unit], 0.0f);
    kernels::fill(workers_, v_shards_[unit], 0.0f);
  }
}

StepGradient Zero3Engine::accumulate(LeafSource& source, std::int64_t data_step, StepFlags mine) {
  const kernels::FlushingDenormals flushing;
  window_.forget();
  for (std::int64_t micro_step = 0; micro_step < micro_steps_; ++micro_step) {
    if (has_leaf(micro_step)) load_leaf(source, data_step, leaf_of(micro_step), mine);
    forward(micro_step);
    backward(micro_step);
  }
  const double tokens = static_cast<double>(tokens_per_step());
  const double loss = fold_losses() / tokens;
  sum_of_squares_ = sum_of_squares() / (tokens * tokens);
  const double norm = std::sqrt(sum_of_squares_);
  mine.non_finite = mine.non_finite || !std::isfinite(loss) || !std::isfinite(norm);
  return {loss, norm, agree(mine)};
}

void Zero3Engine::load_leaf(LeafSource& source, std::int64_t data_step, std::int64_t leaf, StepFlags& flags) {
  try {
    source.leaf(data_step, leaf, leaf_tokens_);
  } catch (const std::bad_alloc&) {
    // The others are on their way into the next gather: go with them, with whatever tokens are there; all hear of it in the flags.
    flags.allocation_failed = true;
  }
  split_rows(leaf_tokens_, shape_.leaf, inputs_, targets_);
}

void Zero3Engine::forward(std::int64_t micro_step) {
  const bool works = has_leaf(micro_step);
  const auto embedding = window_.take(embedding_unit());
  if (works) pass_.embed(embedding, inputs_);
  for (int layer = 0; layer < shape_.model.layers; ++layer) {
    const auto weights = window_.take(block_unit(layer));
    if (works) pass_.forward_block(layer, weights);
  }
}

void Zero3Engine::backward(std::int64_t micro_step) {
  const bool works = has_leaf(micro_step);
  const int head = head_unit(shape_.model);
  const LeafPass::Head head_weights{window_.take(head), is_tied() ? window_.take(embedding_unit()) : std::span<const float>{}};
  my_losses_[micro_step] = 0;
  if (works)
    my_losses_[micro_step] = pass_.loss(head_weights, targets_, loss_weights_, logprobs_, gradient_target(micro_step, head), tied_target(micro_step));
  fold(micro_step, head);
  for (int layer = static_cast<int>(shape_.model.layers) - 1; layer >= 0; --layer) {
    const auto weights = window_.take(block_unit(layer));
    if (works) pass_.backward_block(layer, weights, gradient_target(micro_step, block_unit(layer)));
    fold(micro_step, block_unit(layer));
  }
  const bool computes_logits_again = is_tied() && tied_target(micro_step).empty();
  const auto embedding = computes_logits_again ? window_.take(embedding_unit()) : std::span<const float>{};
  if (works) pass_.backward_embedding(embedding, gradient_target(micro_step, embedding_unit()));
  fold(micro_step, embedding_unit());
}

std::span<float> Zero3Engine::gradient_target(std::int64_t micro_step, int unit) {
  if (ranks_.size() == 1 && micro_step == 0) return gradient_shards_[unit];   // what a fold would start from
  if (unit == embedding_unit() && !tied_gradient_.empty()) return tied_gradient_;
  return gradient_unit_.first(static_cast<std::size_t>(cuts_.unit_elements(unit)));
}

std::span<float> Zero3Engine::tied_target(std::int64_t micro_step) {
  if (!is_tied() || ranks_.size() > 1) return {};
  return gradient_target(micro_step, embedding_unit());
}

void Zero3Engine::fold(std::int64_t micro_step, int unit) {
  const auto mine = has_leaf(micro_step) ? std::span<const float>(gradient_target(micro_step, unit)) : std::span<const float>{};
  if (ranks_.size() == 1) {
    if (micro_step > 0) kernels::add(workers_, gradient_shards_[unit], mine);
    return;
  }
  const auto contributors = static_cast<int>(std::min<std::int64_t>(ranks_.size(), shape_.leaves - micro_step * ranks_.size()));
  ranks_.fold_scatter(mine, cuts_.elements(unit), contributors, micro_step == 0 ? Collective::Fold::start : Collective::Fold::carry,
                      gradient_shards_[unit]);
}

double Zero3Engine::fold_losses() {
  ranks_.all_gather(std::as_bytes(my_losses_), loss_bytes_, std::as_writable_bytes(all_losses_));
  double sum = 0;
  for (std::int64_t leaf = 0; leaf < shape_.leaves; ++leaf) sum += all_losses_[leaf % ranks_.size() * micro_steps_ + leaf / ranks_.size()];
  return sum;
}

double Zero3Engine::sum_of_squares() {
  std::int64_t at = 0;
  for (int unit = 0; unit < cuts_.units(); ++unit) {
    const std::int64_t tiles = cuts_.tiles(unit, ranks_.rank().value);
    kernels::tile_sums_of_squares(workers_, gradient_shards_[unit], layout_.tile_elements, my_tile_sums_.subspan(at, tiles));
    at += tiles;
  }
  ranks_.all_gather(std::as_bytes(my_tile_sums_), tile_bytes_, std::as_writable_bytes(all_tile_sums_));
  // From the order of ranks into that of units: the tree's shape must not know of ranks.
  at = 0;
  for (int unit = 0; unit < cuts_.units(); ++unit)
    for (int rank = 0; rank < ranks_.size(); ++rank) {
      const auto tiles = all_tile_sums_.subspan(cuts_.tile_begin(unit, rank), cuts_.tiles(unit, rank));
      std::copy(tiles.begin(), tiles.end(), tree_.begin() + at);
      at += static_cast<std::int64_t>(tiles.size());
    }
  return kernels::tree_sum(tree_);
}

StepFlags Zero3Engine::agree(StepFlags mine) {
  std::int64_t flags[] = {mine.stop_requested, mine.allocation_failed, mine.non_finite};
  ranks_.all_max(flags);
  return {flags[0] != 0, flags[1] != 0, flags[2] != 0};
}

void Zero3Engine::apply(const UpdateRule& rule) {
  const double tokens = static_cast<double>(tokens_per_step());
  kernels::AdamwSettings settings{rule.learning_rate,
                                  rule.beta1,
                                  rule.beta2,
                                  rule.eps,
                                  0,
                                  rule.update,
                                  static_cast<float>(kernels::clip_factor(sum_of_squares_, rule.clip_norm) / tokens)};
  for (int unit = 0; unit < cuts_.units(); ++unit)
    for (const DecayPart& part : decay_parts_[unit]) {
      settings.weight_decay = part.decays ? rule.weight_decay : 0;
      kernels::adamw(workers_, settings, cut(weight_shards_[unit], part.in_shard), cut(m_shards_[unit], part.in_shard),
                     cut(v_shards_[unit], part.in_shard), cut(gradient_shards_[unit], part.in_shard));
    }
  window_.forget();
}

MemoryPlan Zero3Engine::allocated() const {
  MemoryPlan bytes;
  bytes.weights = weights_memory_.bytes();
  bytes.optimizer = optimizer_memory_.bytes();
  bytes.gradients = gradients_memory_.bytes();
  bytes.gather_buffers = window_.allocated_bytes();
  bytes.gradient_unit = gradient_unit_memory_.bytes();
  bytes.activations = leaf_pass_bytes(shape_.model, shape_.leaf, shape_.keep, workers_.size()).total();
  bytes.reductions = reductions_memory_.bytes();
  return bytes;
}

}   // namespace lastro
