#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "core/durable_file.h"
#include "core/store.h"
#include "domain/errors.h"
#include "runtime/checkpoint_index.h"

namespace lastro {

// A shard that is not what its index says. The message is one line; the damage has the facts.
struct DamagedShard : ContractError {
  explicit DamagedShard(Damage damage);
  Damage damage;
};

struct WrittenShard {
  ShardRecord record;
  std::vector<Digest> tiles;
};

// Writes one rank's shard into `folder`, durable when it returns. `data`: the rank's elements of each plane and unit, one behind the other.
// Each tile is hashed once, as it passes. Throws EnvironmentError.
WrittenShard write_shard(const ShardFormat& format, const std::filesystem::path& folder, const ShardHeader& header, std::span<const float> data);

// The digests alone, in the same order.
std::vector<Digest> hash_tiles(const ShardHeader& header, std::span<const float> data);

// Whether what comes from the disk or from the system's memory is read.
enum class ReadFrom { anywhere, disk };

// One shard of a checkpoint; what it hands out has been verified.
class ShardReader {
 public:
  // Checks length, structure and table of tile digests against the index. Throws DamagedShard, or EnvironmentError when it cannot be read.
  ShardReader(const std::filesystem::path& folder, const CheckpointIndex& index, int rank, ReadFrom from = ReadFrom::anywhere);

  const std::vector<ShardExtent>& extents() const { return extents_; }
  const std::vector<Digest>& tiles() const { return tiles_; }

  // Tiles [first, last) of an extent, counted from its beginning; `into` has exactly their elements. Throws DamagedShard at the first bad one.
  void read(const ShardExtent& extent, std::int64_t first, std::int64_t last, std::span<float> into) const;

 private:
  std::string dataset_of(const ShardExtent& extent) const;

  const CheckpointIndex& index_;
  std::filesystem::path path_;
  InputFile file_;
  std::vector<ShardExtent> extents_;
  std::vector<Digest> tiles_;
};

// Reads all of a shard; every damage, or the first alone. Never throws for damage.
std::vector<Damage> verify_shard(const std::filesystem::path& folder, const CheckpointIndex& index, int rank, ReadFrom from,
                                 std::vector<Digest>* tiles = nullptr);

}   // namespace lastro
