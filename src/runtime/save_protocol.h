#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/collective.h"
#include "runtime/checkpoint_folder.h"
#include "runtime/shard_file.h"
#include "runtime/together.h"

namespace lastro {

// What is to be saved; the same on every rank but for the data.
struct SaveJob {
  Step step;
  Node scalars;
  StateLayout layout;
  std::span<const float> data;   // this rank's elements of each plane and unit, one behind the other
};

// How a checkpoint comes to be, on all ranks together, by the threads in the background:
//
//   rank 0    makes the step's folder
//   each      writes its shard:  draft, reserve, tiles, fsync, rename, fsync(folder)
//   rank 0    writes index.json the same way: from here on the checkpoint exists
//   each      reads its shard back from the disk and verifies it
//   rank 0    writes VERIFIED; only then removes older checkpoints
//
// Killed anywhere, it leaves the checkpoints that were verified before, and at most one that is not committed and is swept by the next run.
class SaveProtocol {
 public:
  SaveProtocol(const CheckpointFolder& folder, const Digest& stage_key, int keep, const ShardFormat& format, Collective& ranks)
      : folder_(folder), stage_key_(stage_key), keep_(keep), format_(format), ranks_(ranks) {}

  // Returns what a reader of the log should know, the same on every rank: why the save failed, what was found in its place. Empty: it is verified.
  std::vector<std::string> run(const SaveJob& job);

 private:
  using Failures = std::vector<Failure>;

  bool is_there_already(const SaveJob& job, std::vector<std::string>& remarks);
  Failures write(const SaveJob& job);
  Failures commit(const SaveJob& job, const WrittenShard& mine);
  Failures verify(const SaveJob& job);
  void mark_and_rotate(Step step, std::vector<std::string>& remarks);
  std::vector<std::vector<Digest>> gather_tiles(const StateLayout& layout, const std::vector<Digest>& mine);
  ShardHeader header_of(const SaveJob& job) const { return {job.layout, job.step, stage_key_.hex(), ranks_.rank(), ranks_.size()}; }

  const CheckpointFolder& folder_;
  const Digest& stage_key_;
  int keep_;
  const ShardFormat& format_;
  Collective& ranks_;
};

}   // namespace lastro
