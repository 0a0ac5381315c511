#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/checkpoint.h"
#include "core/collective.h"
#include "core/hash.h"

namespace lastro::test {

// Checkpoints of one stage, in memory: what the ranks of a run share, and what outlives them. Whole vectors, so any number of ranks reads them.
class CheckpointMemory {
 public:
  struct Saved {
    Node scalars;
    StateLayout layout;
    std::vector<std::vector<std::vector<float>>> planes;   // [plane][unit][elements]
  };
  std::mutex mutex;
  std::map<std::int64_t, Saved> saved;    // by step
  std::vector<std::int64_t> roll_backs;   // limits that were asked for
  bool disk_is_full = false;
};

inline Digest digest_of(const CheckpointMemory::Saved& saved) {
  Sha256 hash;
  for (const auto& plane : saved.planes)
    for (const auto& unit : plane) hash.update(std::as_bytes(std::span(unit)));
  return hash.finish();
}

// One rank's view of them.
class MemoryCheckpoints final : public Checkpoints {
 public:
  MemoryCheckpoints(Collective& ranks, CheckpointMemory& memory) : ranks_(ranks), memory_(memory) {}

  void save(Step step, const Node& scalars, const StateView& state) override {
    if (memory_.disk_is_full) return;
    ranks_.barrier();
    {
      const std::lock_guard lock(memory_.mutex);
      auto& saved = memory_.saved[step.value];
      saved.scalars = scalars;
      saved.layout = state.layout;
      saved.planes.resize(state.shards.size());
      each_shard(state, saved, [](std::span<float> shard, std::span<float> place) { std::copy(shard.begin(), shard.end(), place.begin()); });
    }
    ranks_.barrier();
  }

  std::optional<Node> load_newest(const StateView& state) override {
    ranks_.barrier();
    std::optional<Node> scalars;
    {
      const std::lock_guard lock(memory_.mutex);
      if (!memory_.saved.empty()) {
        auto& saved = memory_.saved.rbegin()->second;
        each_shard(state, saved, [](std::span<float> shard, std::span<float> place) { std::copy(place.begin(), place.end(), shard.begin()); });
        scalars = saved.scalars;
      }
    }
    ranks_.barrier();
    return scalars;
  }

  std::optional<Node> roll_back(Step limit, const StateView& state) override {
    ranks_.barrier();
    if (ranks_.is_root()) {
      memory_.saved.erase(memory_.saved.upper_bound(limit.value), memory_.saved.end());
      memory_.roll_backs.push_back(limit.value);
    }
    return load_newest(state);
  }

  std::optional<Step> finish() override {
    ranks_.barrier();
    if (memory_.saved.empty()) return std::nullopt;
    return Step{memory_.saved.rbegin()->first};
  }

  Digest publish(Step step, const std::filesystem::path&) override { return digest_of(memory_.saved.at(step.value)); }

 private:
  template <class Copy>
  void each_shard(const StateView& state, CheckpointMemory::Saved& saved, Copy copy) {
    for (std::size_t plane = 0; plane < state.shards.size(); ++plane) {
      saved.planes[plane].resize(state.layout.units.size());
      for (std::size_t unit = 0; unit < state.layout.units.size(); ++unit) {
        const std::int64_t elements = state.layout.units[unit].elements;
        saved.planes[plane][unit].resize(elements);
        const Interval mine = shard_of(elements, state.layout.tile_elements, ranks_.rank(), ranks_.size());
        copy(state.shards[plane][unit], std::span(saved.planes[plane][unit]).subspan(mine.begin, mine.size()));
      }
    }
  }

  Collective& ranks_;
  CheckpointMemory& memory_;
};

}   // namespace lastro::test
