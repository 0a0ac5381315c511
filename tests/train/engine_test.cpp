#include "train/engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <set>

#include "domain/errors.h"
#include "model/init.h"
#include "model/tensors.h"
#include "support/counting_new.h"
#include "support/memory_checkpoints.h"
#include "train/training.h"

namespace lastro::test {
namespace {

const UpdateRule rule{1e-2, 0.9, 0.95, 1e-8, 0.1, 1.0, 1};

// State and losses after some steps.
struct Outcome {
  Digest state;
  std::vector<double> losses;
  std::vector<double> norms;
  bool operator==(const Outcome&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Outcome& outcome) {
  out << outcome.state.to_string();
  for (const double loss : outcome.losses) out << ' ' << loss;
  return out;
}

Outcome train_steps(const EngineShape& shape, int ranks, int workers, int steps) {
  Outcome outcome;
  CheckpointMemory memory;
  on_ranks(ranks, workers, [&](Collective& collective, Workers& pool) {
    Zero3Engine engine(collective, pool, shape);
    engine.initialise(42);
    RuleSource source;
    UpdateRule update = rule;
    for (int step = 0; step < steps; ++step) {
      const StepGradient gradient = engine.accumulate(source, step, {});
      update.update = step + 1;
      engine.apply(update);
      if (!collective.is_root()) continue;
      outcome.losses.push_back(gradient.loss);
      outcome.norms.push_back(gradient.gradient_norm);
    }
    MemoryCheckpoints(collective, memory).save(Step{steps}, {}, engine.state());
  });
  outcome.state = digest_of(memory.saved.at(steps));
  return outcome;
}

TEST(Zero3Engine, GivesTheSameBitsOnAnyRanksAndWorkers) {
  for (const bool tied : {true, false}) {
    const Outcome one = train_steps(small_engine(5, tied), 1, 1, 3);

    EXPECT_NEAR(one.losses[0], std::log(300.0), 0.1);
    EXPECT_LT(one.losses[2], one.losses[0]);
    for (const int ranks : {1, 2, 3, 4, 5})
      for (const int workers : {1, 2})
        EXPECT_EQ(train_steps(small_engine(5, tied), ranks, workers, 3), one) << ranks << " ranks, " << workers << " workers, tied: " << tied;
  }
}

TEST(Zero3Engine, GivesTheSameBitsWithBlocksComputedAgain) {
  EXPECT_EQ(train_steps(small_engine(3, true, Keep::inputs), 2, 1, 2), train_steps(small_engine(3), 1, 1, 2));
}

TEST(Zero3Engine, GivesTheSameBitsWithOneLeaf) {
  // One leaf a step: a rank alone has no buffer for a unit's gradient at all.
  const Outcome once = train_steps(small_engine(1), 1, 1, 2);

  EXPECT_EQ(train_steps(small_engine(1), 1, 2, 2), once);
}

TEST(Zero3Engine, RefusesMoreRanksThanLeaves) {
  EXPECT_THROW(on_ranks(3, 1, [](Collective& ranks, Workers& workers) { Zero3Engine(ranks, workers, small_engine(2)); }), UsageError);
}

// The gradient of every leaf by itself, added in leaf order: what the engine must come to, however it gets there.
std::vector<std::vector<float>> gradients_added_by_hand(const EngineShape& shape) {
  const StateLayout layout = state_layout(shape.model);
  OneWorker worker;
  std::vector<std::vector<float>> weights, sums, leaf_gradients;
  for (const auto& unit : layout.units) {
    weights.emplace_back(unit.elements);
    sums.emplace_back(unit.elements);
    leaf_gradients.emplace_back(unit.elements);
    initialise(shape.model, 42, static_cast<int>(weights.size()) - 1, {0, unit.elements}, weights.back());
  }
  const int head = head_unit(shape.model);
  const std::int64_t row = shape.leaf.tokens + 1;
  std::vector<TokenId> tokens(shape.leaf.sequences * row), inputs, targets;
  std::vector<float> ones(shape.leaf.rows(), 1.0f), logprobs(shape.leaf.rows());
  LeafPass pass(shape.model, shape.leaf, Keep::everything, worker);
  for (std::int64_t leaf = 0; leaf < shape.leaves; ++leaf) {
    RuleSource().leaf(0, leaf, tokens);
    inputs.clear(), targets.clear();
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (i % row != static_cast<std::size_t>(row) - 1) inputs.push_back(tokens[i]);
      if (i % row != 0) targets.push_back(tokens[i]);
    }
    pass.embed(weights[0], inputs);
    for (int layer = 0; layer < shape.model.layers; ++layer) pass.forward_block(layer, weights[block_unit(layer)]);
    pass.loss({weights[head], shape.model.tied ? std::span<const float>(weights[0]) : std::span<const float>{}}, targets, ones, logprobs,
              leaf_gradients[head]);
    for (int layer = static_cast<int>(shape.model.layers) - 1; layer >= 0; --layer)
      pass.backward_block(layer, weights[block_unit(layer)], leaf_gradients[block_unit(layer)]);
    pass.backward_embedding(weights[0], leaf_gradients[0]);
    for (std::size_t unit = 0; unit < sums.size(); ++unit)
      for (std::size_t i = 0; i < sums[unit].size(); ++i)
        sums[unit][i] = leaf == 0 ? leaf_gradients[unit][i] : sums[unit][i] + leaf_gradients[unit][i];
  }
  return sums;
}

TEST(Zero3Engine, AddsTheLeavesGradientsInLeafOrder) {
  for (const bool tied : {true, false}) {
    const EngineShape shape = small_engine(5, tied);
    const auto wanted = gradients_added_by_hand(shape);

    for (const int ranks : {1, 3}) {
      std::vector<std::vector<float>> found;
      for (const auto& unit : wanted) found.emplace_back(unit.size());
      on_ranks(ranks, 1, [&](Collective& collective, Workers& workers) {
        Zero3Engine engine(collective, workers, shape);
        engine.initialise(42);
        RuleSource source;
        engine.accumulate(source, 0, {});
        for (std::size_t unit = 0; unit < wanted.size(); ++unit) {
          const Interval mine = shard_of(static_cast<std::int64_t>(wanted[unit].size()), engine.layout().tile_elements, collective.rank(), ranks);
          const auto part = engine.gradient(static_cast<int>(unit));
          std::copy(part.begin(), part.end(), found[unit].begin() + mine.begin);
        }
      });
      EXPECT_EQ(found, wanted) << ranks << " ranks, tied: " << tied;
    }
  }
}

TEST(Zero3Engine, MeasuresTheMeanGradient) {
  const EngineShape shape = small_engine(5);
  double squares = 0;
  for (const auto& unit : gradients_added_by_hand(shape))
    for (const float value : unit) squares += static_cast<double>(value) * value;
  const double tokens = 5 * 2 * 12;

  on_ranks(1, 1, [&](Collective& ranks, Workers& workers) {
    Zero3Engine engine(ranks, workers, shape);
    engine.initialise(42);
    RuleSource source;
    EXPECT_NEAR(engine.accumulate(source, 0, {}).gradient_norm, std::sqrt(squares) / tokens, 1e-6 * std::sqrt(squares) / tokens);
  });
}

TEST(Zero3Engine, ClipsMovesAndDecaysLikeTheBook) {
  // AdamW's first update, by hand: m / (1 - beta1) = g, v / (1 - beta2) = g^2, so a weight moves by lr g / (|g| + eps).
  const EngineShape shape = small_engine(2);
  const auto gradients = gradients_added_by_hand(shape);
  const auto units = unit_tensors(shape.model);
  on_ranks(1, 2, [&](Collective& ranks, Workers& workers) {
    Zero3Engine engine(ranks, workers, shape);
    engine.initialise(42);
    std::vector<std::vector<float>> before;
    const StateView state = engine.state();
    for (const auto& shard : state.shards[0]) before.emplace_back(shard.begin(), shard.end());
    RuleSource source;
    const double norm = engine.accumulate(source, 0, {}).gradient_norm;
    UpdateRule update = rule;
    update.clip_norm = norm / 3;
    update.eps = 1e-3;
    engine.apply(update);

    const double factor = 1.0 / 3 / static_cast<double>(engine.tokens_per_step());
    for (std::size_t unit = 0; unit < units.size(); ++unit)
      for (const NamedTensor& tensor : units[unit].tensors)
        for (std::int64_t i = tensor.offset; i < tensor.offset + tensor.elements(); ++i) {
          const double g = gradients[unit][i] * factor;
          const double decay = tensor.is_vector ? 0 : 0.1;
          const double wanted = before[unit][i] * (1 - 1e-2 * decay) - 1e-2 * g / (std::fabs(g) + 1e-3);
          ASSERT_NEAR(state.shards[0][unit][i], wanted, 2e-6) << tensor.name << " " << i;
        }
  });
}

TEST(Zero3Engine, AgreesOnFlagsThatOneRankRaises) {
  on_ranks(3, 1, [](Collective& ranks, Workers& workers) {
    Zero3Engine engine(ranks, workers, small_engine(3));
    engine.initialise(1);
    RuleSource source;
    source.on_leaf = [](std::int64_t, std::int64_t leaf) {
      if (leaf == 2) throw std::bad_alloc();
    };
    const StepFlags agreed = engine.accumulate(source, 0, {.stop_requested = ranks.rank().value == 1}).agreed;

    EXPECT_TRUE(agreed.stop_requested);
    EXPECT_TRUE(agreed.allocation_failed);
    EXPECT_FALSE(agreed.non_finite);
  });
}

TEST(Zero3Engine, TellsEveryRankOfANaNThatOneRankHas) {
  on_ranks(3, 1, [](Collective& ranks, Workers& workers) {
    Zero3Engine engine(ranks, workers, small_engine(3));
    engine.initialise(1);
    if (ranks.rank().value == 2) engine.state().shards[0][1].back() = std::numeric_limits<float>::quiet_NaN();
    RuleSource source;

    EXPECT_TRUE(engine.accumulate(source, 0, {}).agreed.non_finite);
  });
}

TEST(Zero3Engine, AllocatesNothingInAStep) {   // over MPI too: memory_mpi_test.cpp
  SelfCollective self;
  WorkerPool workers(2);
  Zero3Engine engine(self, workers, small_engine(3));
  engine.initialise(1);
  RuleSource source;
  UpdateRule update = rule;
  for (int step = 0; step < 3; ++step) {
    if (step == 1) start_counting_allocations();   // what libraries make once, they have made
    engine.accumulate(source, step, {});
    update.update = step + 1;
    engine.apply(update);
  }

  EXPECT_EQ(allocations_counted(), 0);
}

// Passes everything on, and notes how much of the model is whole on this rank at a time.
class WatchingCollective final : public Collective {
 public:
  WatchingCollective(Collective& inner, std::int64_t largest_unit) : inner_(inner), largest_unit_(largest_unit) {}
  Rank rank() const override { return inner_.rank(); }
  int size() const override { return inner_.size(); }
  void barrier() override { inner_.barrier(); }
  void broadcast(std::span<std::byte> bytes, Rank root) override { inner_.broadcast(bytes, root); }
  void all_gather(std::span<const std::byte> mine, std::span<const std::int64_t> lengths, std::span<std::byte> whole) override {
    if (whole.size() > 4096) gathered_places.insert(whole.data());
    EXPECT_LE(static_cast<std::int64_t>(whole.size()), largest_unit_ * 4);
    inner_.all_gather(mine, lengths, whole);
  }
  void fold_scatter(std::span<const float> mine, std::span<const std::int64_t> lengths, int contributors, Fold fold,
                    std::span<float> accumulator) override {
    if (!mine.empty()) gradient_places.insert(mine.data());
    ++folds;
    inner_.fold_scatter(mine, lengths, contributors, fold, accumulator);
  }
  void all_max(std::span<std::int64_t> values) override { inner_.all_max(values); }
  void all_sum(std::span<std::int64_t> values) override { inner_.all_sum(values); }
  std::unique_ptr<Collective> split(int color) override { return inner_.split(color); }

  std::set<const std::byte*> gathered_places;
  std::set<const float*> gradient_places;
  int folds = 0;

 private:
  Collective& inner_;
  std::int64_t largest_unit_;
};

TEST(Zero3Engine, HasTwoGatheredUnitsAndOneFullGradientAtMost) {
  for (const bool tied : {true, false})
    on_ranks(2, 1, [tied](Collective& plain, Workers& workers) {
      const EngineShape shape = small_engine(3, tied);   // the last micro-step has a leaf for one rank only
      WatchingCollective ranks(plain, largest_unit_elements(shape.model));
      Zero3Engine engine(ranks, workers, shape);
      engine.initialise(1);
      RuleSource source;
      engine.accumulate(source, 0, {});

      EXPECT_EQ(ranks.gathered_places.size(), 2u);
      EXPECT_EQ(ranks.gradient_places.size(), 1u);
      EXPECT_EQ(ranks.folds, 2 * unit_count(shape.model));   // idle or not
    });
}

TEST(Zero3Engine, GathersNothingOnOneRank) {
  OneWorker worker;
  SelfCollective self;
  WatchingCollective ranks(self, 1024);
  Zero3Engine engine(ranks, worker, small_engine(2));
  engine.initialise(1);
  RuleSource source;
  engine.accumulate(source, 0, {});

  EXPECT_TRUE(ranks.gathered_places.empty());
  EXPECT_EQ(ranks.folds, 0);
}

}   // namespace
}   // namespace lastro::test
