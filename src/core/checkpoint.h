#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "domain/digest.h"
#include "domain/ids.h"
#include "domain/node.h"

namespace lastro {

// Half-open interval of elements.
struct Interval {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t size() const { return end - begin; }
  bool operator==(const Interval&) const = default;
};

// The logical state of a training run: for every unit (embedding, block 0, ..., head) a flat fp32 vector in each plane. Independent of ranks.
struct StateLayout {
  struct Unit {
    std::string name;            // "embedding", "block-00", ..., "head"
    std::int64_t elements = 0;   // parameters, without padding
    bool operator==(const Unit&) const = default;
  };
  std::vector<Unit> units;
  std::vector<std::string> planes{"weights", "adam_m", "adam_v"};
  std::int64_t tile_elements = 16384;   // the grain of hashes, norms and shards; the last tile of a unit may be shorter
  bool operator==(const StateLayout&) const = default;
};

std::int64_t tiles_of(std::int64_t elements, std::int64_t tile_elements);

// The elements of a unit that a rank holds: contiguous whole tiles, ascending over ranks, sizes as equal as tiles allow; may be empty.
Interval shard_of(std::int64_t unit_elements, std::int64_t tile_elements, Rank rank, int world);

// One rank's part of the state. shards[plane][unit] has shard_of(unit) elements.
struct StateView {
  const StateLayout& layout;
  std::vector<std::vector<std::span<float>>> shards;
};

// Where training state is kept. Every rank calls each verb together. Implemented by runtime over infra/hdf5.
class Checkpoints {
 public:
  virtual ~Checkpoints() = default;

  // Copies the state to a staging buffer and returns; writing, hashing, commit and verification go on behind. `scalars` is everything
  // mutable besides the planes (step, guard window, skip ledger, ...), equal on every rank. A failed save is an event, not an error:
  // training goes on. At most one save is in flight: the call waits for an earlier one.
  virtual void save(Step step, const Node& scalars, const StateView& state) = 0;

  // Fills `state` from the newest checkpoint of this stage that verifies, written by any number of ranks, and returns its scalars; empty
  // when there is none. Passes over damaged ones with an event that names shard, dataset and tile.
  virtual std::optional<Node> load_newest(const StateView& state) = 0;

  // As load_newest, after every checkpoint of more than `limit` steps has been discarded: those steps are taken back, and the run takes
  // another way from `limit` on.
  virtual std::optional<Node> roll_back(Step limit, const StateView& state) = 0;

  // Waits until the save in flight is committed and verified. Returns the step of the newest verified checkpoint, if any.
  virtual std::optional<Step> finish() = 0;

  // Puts the verified checkpoint of `step` into `output` as the stage's artifact; returns the digest of its logical state.
  virtual Digest publish(Step step, const std::filesystem::path& output) = 0;
};

}   // namespace lastro
