#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "core/random.h"
#include "core/stage.h"
#include "infra/self/self_collective.h"
#include "infra/threads/threads_collective.h"
#include "infra/workers/worker_pool.h"
#include "support/memory_checkpoints.h"
#include "train/engine.h"
#include "train/leaf_source.h"
#include "train/trainer.h"

// Small runs for tests: a model of a few tiles a unit, a text with a rule in it, ranks that are threads.
namespace lastro::test {

inline ModelShape small_model(bool tied = true) {
  ModelShape shape;
  shape.vocabulary = 300;   // padded to 320 rows
  shape.width = 64;
  shape.layers = 2;
  shape.heads = 4;
  shape.kv_heads = 2;
  shape.head_dim = 16;
  shape.ffn = 168;
  shape.context = 12;
  shape.tied = tied;
  return shape;
}

inline EngineShape small_engine(std::int64_t leaves, bool tied = true, Keep keep = Keep::everything) {
  return {small_model(tied), {2, 12}, leaves, keep};
}

inline PretrainSettings small_settings(std::int64_t steps, std::int64_t leaves = 5) {
  PretrainSettings settings;
  settings.model = small_model();
  settings.batch = {leaves, 2};
  settings.steps = steps;
  settings.optimizer.warmup_steps = 2;
  settings.optimizer.lr = 1e-2;
  settings.checkpoint.every_steps = 0;
  settings.guard.window = 6;
  settings.guard.skips_in_a_row = 3;
  settings.guard.back_steps = 2;
  return settings;
}

// Each token follows from the one before: next = 3 token + 1 mod 32. In the data steps [noise_begin, noise_end) it does not.
class RuleSource final : public LeafSource {
 public:
  explicit RuleSource(std::int64_t noise_begin = 0, std::int64_t noise_end = 0) : noise_begin_(noise_begin), noise_end_(noise_end) {}

  void leaf(std::int64_t data_step, std::int64_t leaf, std::span<TokenId> tokens) override {
    const std::size_t row_tokens = 13;
    const bool is_noise = data_step >= noise_begin_ && data_step < noise_end_;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const std::uint64_t draw = random_u64(7, Purpose::test, static_cast<std::uint64_t>(data_step), static_cast<std::uint64_t>(leaf) * 1000 + i);
      const bool begins = i % row_tokens == 0;
      tokens[i] = static_cast<TokenId>(is_noise ? 200 + draw % 100 : begins ? draw % 32 : (3 * tokens[i - 1] + 1) % 32);
    }
    if (on_leaf) on_leaf(data_step, leaf);
  }
  std::function<void(std::int64_t data_step, std::int64_t leaf)> on_leaf;

 private:
  std::int64_t noise_begin_;
  std::int64_t noise_end_;
};

// Runs `body` on each of `ranks` ranks with `workers` workers each; one rank alone runs on the self collective.
inline void on_ranks(int ranks, int workers, const std::function<void(Collective&, Workers&)>& body) {
  if (ranks == 1) {
    SelfCollective self;
    WorkerPool pool(workers);
    return body(self, pool);
  }
  run_as_ranks(ranks, [&](Collective& collective) {
    WorkerPool pool(workers);
    body(collective, pool);
  });
}

// What a stage tells, kept; of rank 0.
class NotedTracker final : public Tracker {
 public:
  void event(std::string_view text) override { events.emplace_back(text); }
  void progress(std::int64_t, std::int64_t, std::string_view, std::string_view) override {}
  void metrics(const Node& values) override { lines.push_back(values); }
  std::vector<std::string> events;
  std::vector<Node> lines;
};

// A run of train() that a test may stop, poison, restart.
struct TestRun {
  PretrainSettings settings;
  CheckpointMemory memory;
  std::int64_t noise_begin = 0;
  std::int64_t noise_end = 0;
  std::function<void(std::int64_t data_step, std::int64_t leaf)> on_leaf;
  std::function<bool(Rank)> stop = [](Rank) { return false; };
  std::function<std::unique_ptr<Collective>(Collective&)> wrap;   // may put something between the trainer and its ranks
  std::int64_t memory_limit_bytes = 0;                            // 0: none
  NotedTracker told;                                              // by rank 0 of the last start
  StageResult result;                                             // of rank 0

  // Starts, or goes on, with as many ranks and workers.
  void start(int ranks, int workers = 1) {
    told = {};
    on_ranks(ranks, workers, [&](Collective& plain, Workers& pool) {
      const std::unique_ptr<Collective> wrapped = wrap ? wrap(plain) : nullptr;
      Collective& collective = wrapped ? *wrapped : plain;
      MemoryCheckpoints checkpoints(plain, memory);
      SilentTracker silent;
      RuleSource source(noise_begin, noise_end);
      source.on_leaf = on_leaf;
      Tracker& tracker = collective.is_root() ? static_cast<Tracker&>(told) : silent;
      RunContext context{collective, pool, tracker, 42, {}, {}, {}, checkpoints, memory_limit_bytes, [&] { return stop(collective.rank()); }};
      const StageResult mine = train(context, settings, settings.model, source);
      if (collective.is_root()) result = mine;
    });
  }

  Digest digest() const { return digest_of(memory.saved.at(settings.steps)); }
};

}   // namespace lastro::test
