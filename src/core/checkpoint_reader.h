#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/checkpoint.h"
#include "core/store.h"

namespace lastro {

// A checkpoint folder (index.json and shards), read without a trainer, by one process. A port: runtime has the implementation.
class CheckpointReader {
 public:
  // Reads and checks the index. Throws ContractError (damaged, of an older format) or EnvironmentError.
  explicit CheckpointReader(const std::filesystem::path& folder);
  ~CheckpointReader();
  CheckpointReader(CheckpointReader&&) noexcept;

  Step step() const;
  const StateLayout& layout() const;
  const Node& scalars() const;
  const Digest& stage_key() const;
  const Digest& content() const;   // of the logical state: the artifact's digest

  // Elements [interval) of a unit in a plane ("weights", "block-00"); every tile touched is verified first. interval.size() == into.size().
  // Throws ContractError naming shard, dataset and tile.
  void read(std::string_view plane, std::string_view unit, Interval interval, std::span<float> into) const;
  // The whole unit.
  void read(std::string_view plane, std::string_view unit, std::span<float> into) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Re-hashes everything a checkpoint folder holds. Empty when all is well; else every damage, with shard, dataset and tile.
std::vector<Damage> verify_checkpoint(const std::filesystem::path& folder);

// As verify_checkpoint, by the index and the sizes of the shards alone.
std::vector<Damage> misfits_of_checkpoint(const std::filesystem::path& folder);

}   // namespace lastro
