#pragma once

#include <unistd.h>

#include <algorithm>
#include <functional>
#include <set>

#include "core/hash.h"
#include "infra/hdf5/hdf5_shard_format.h"
#include "infra/threads/threads_collective.h"
#include "runtime/checkpointer.h"
#include "support/checkpoint_state.h"
#include "support/temporary_folder.h"

namespace lastro {

// In memory where the system has such a place: hundreds of saves need not wait for a disk to make them durable.
class MemoryFolder : public TemporaryFolder {
 public:
  MemoryFolder() : TemporaryFolder(::access("/dev/shm", W_OK) == 0 ? std::filesystem::path("/dev/shm") : std::filesystem::temp_directory_path()) {}
};

// One rank with a checkpointer, as a trainer would have it.
struct TestRank {
  Collective& ranks;
  Checkpointer& checkpoints;
  RankState& state;

  void save(std::int64_t step) {
    state.set(step);
    checkpoints.save(Step{step}, scalars(step), state.view());
  }
  std::optional<Node> load() { return checkpoints.load_newest(state.view()); }

  static Node scalars(std::int64_t step) {
    Node node = Node::mapping();
    node.set("step", step);
    node.set("loss", 1.0 / static_cast<double>(step + 3));
    return node;
  }
};

struct TestRun {
  std::filesystem::path folder;
  int ranks = 1;
  int keep = 2;
  Digest stage_key = sha256("stage");
  StateLayout layout = small_layout();
};

// Runs `body` on all ranks; returns the events.
inline std::string run_ranks(const TestRun& run, const std::function<void(TestRank&)>& body) {
  KeepingTracker tracker;
  const Hdf5ShardFormat format;
  run_as_ranks(run.ranks, [&](Collective& ranks) {
    SilentTracker silent;
    Checkpointer checkpoints({run.folder, run.stage_key, run.keep}, format, ranks, ranks.split(0),
                             ranks.is_root() ? static_cast<Tracker&>(tracker) : silent);
    RankState state(run.layout, ranks);
    TestRank rank{ranks, checkpoints, state};
    body(rank);
  });
  return tracker.events();
}

// Saves the given steps; returns the events.
inline std::string save_steps(const TestRun& run, const std::vector<std::int64_t>& steps) {
  return run_ranks(run, [&](TestRank& rank) {
    for (const std::int64_t step : steps) rank.save(step);
    rank.checkpoints.finish();
  });
}

// The step that the newest good checkpoint holds on every rank; -1: none, -2: what was loaded is not what was saved.
struct Loaded {
  std::int64_t step = -1;
  std::string events;
};
inline Loaded load(const TestRun& run) {
  Loaded loaded;
  std::mutex mutex;
  loaded.events = run_ranks(run, [&](TestRank& rank) {
    const auto scalars = rank.load();
    std::int64_t step = scalars ? scalars->at("step").integer() : -1;
    if (scalars && (!rank.state.holds(step) || *scalars != TestRank::scalars(step))) step = -2;
    const std::lock_guard lock(mutex);
    loaded.step = rank.ranks.is_root() || step == -2 ? step : loaded.step;
  });
  return loaded;
}

inline std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  if (std::filesystem::exists(folder))
    for (const auto& entry : std::filesystem::directory_iterator(folder)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

}   // namespace lastro
