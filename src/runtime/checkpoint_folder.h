#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/checkpoint_index.h"

namespace lastro {

inline constexpr std::string_view index_file_name = "index.json";
inline constexpr std::string_view marker_file_name = "VERIFIED";   // holds the SHA-256 of the index it was read back against

struct CommittedCheckpoint {
  std::filesystem::path folder;
  std::string index_text;
  CheckpointIndex index;
  bool verified = false;
};

// Reads and checks a folder's index. Throws ContractError or EnvironmentError.
CommittedCheckpoint read_committed(const std::filesystem::path& folder);

// <run>/checkpoints as rank 0 sees and changes it: a folder a step, step-000120. One that belongs to another stage key and stood in the way
// is called step-000120-of-<12 digits of its key>. Errors: EnvironmentError.
class CheckpointFolder {
 public:
  CheckpointFolder(std::filesystem::path root, Digest stage_key) : root_(std::move(root)), stage_key_(stage_key) {}

  std::filesystem::path folder_of(Step step) const { return root_ / step_folder_name(step); }

  // Removes what a run that was killed left half-made: drafts, and steps that were never committed. Returns a line for each.
  std::vector<std::string> sweep() const;

  // This stage's committed checkpoints, newest first. `remarks` gets a line for each index that is damaged, of another format or stage.
  std::vector<CommittedCheckpoint> list(std::vector<std::string>* remarks = nullptr) const;
  std::optional<CommittedCheckpoint> find(Step step) const;

  // Makes the folder of `step`, empty; what another stage keeps there is moved aside, everything else there is removed.
  void clear_place(Step step) const;

  void commit(Step step, std::string_view index_text) const;
  void mark_verified(const CommittedCheckpoint& checkpoint) const;
  void mark_damaged(const CommittedCheckpoint& checkpoint) const;
  void remove(const std::filesystem::path& folder) const;

  // Once there are `keep` verified ones: removes what is older than the newest of them and none of the `keep` newest, damaged ones among it. (A
  // damaged index does not say whose it is; in the place of one of this stage's steps it counts as this stage's.)
  void rotate(int keep) const;

 private:
  std::vector<std::filesystem::path> step_folders() const;

  std::filesystem::path root_;
  Digest stage_key_;
};

}   // namespace lastro
