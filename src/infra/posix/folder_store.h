#pragma once

#include "core/store.h"

namespace lastro {

// What mends one of the store's own records (artifact.json, keys/...) that is not as it was written; behind its path.
inline constexpr std::string_view remedy_for_store_record = "remove this file, and the next run makes again what it stands for";
inline constexpr std::string_view remedy_for_known_run = "remove this file, and run again what used this store in that directory, before a sweep";

// A store in a folder:
//   objects/<digest>/artifact.json   the artifact's record, sealed with its own hash; its files lie beside it, read-only
//   keys/<stage key>.json            what a stage key led to, sealed
//   staging/<stage key>/             an artifact being made; -<12 hex of the run directory's name's hash> behind it where one makes it, so that
//                                    two runs may make the same thing at once
//   lease                            the runs at work share it; a sweep is alone (infra/posix/lease.h)
class FolderStore final : public Store {
 public:
  // Touches nothing: a store that does not exist yet is empty. `run`: the directory of the run that makes artifacts in it.
  explicit FolderStore(std::filesystem::path root, const std::filesystem::path& run = {});

  std::optional<KeyRecord> find_key(const Digest& key) const override;
  std::optional<ArtifactRecord> find_artifact(const Digest& digest) const override;
  std::filesystem::path folder_of(const Digest& digest) const override;
  std::filesystem::path begin(const Digest& key) override;
  void commit(const ArtifactRecord& artifact, const KeyRecord& key) override;
  std::vector<Damage> verify(const Digest& digest) const override;

  // The store's own records that are not as they were written: keys, and the register of runs.
  std::vector<Damage> damaged_records() const;

  // An artifact's files whose sizes are not those of its record, missing ones among them; nothing is read.
  std::vector<Damage> misfits(const ArtifactRecord& artifact) const;

  // Forgets where a stage key led to, so that its stage runs again; the artifact stays.
  void forget(const Digest& key) const;

  // Removes an artifact and the keys that led to it: keys first, so that nothing names what is not there.
  void sweep(const Digest& digest) const;
  // Removes what runs left that ended before they committed it. Requires: no run is at work in the store.
  void sweep_staging() const;

  // Run directories that have used this store (runs/<digest of the path>, holding the path), so that a sweep knows whom to ask.
  void remember_run(const std::filesystem::path& run) const;
  std::vector<std::filesystem::path> known_runs() const;   // sorted; throws ContractError when one of these files is damaged

  const std::filesystem::path& root() const { return root_; }
  std::vector<Digest> artifacts() const;   // sorted; folders that are no artifacts are left out
  std::vector<Digest> keys() const;        // sorted

 private:
  KeyRecord read_key(const Digest& key) const;   // without a word of what mends a damage
  ArtifactRecord read_artifact(const Digest& digest) const;
  std::filesystem::path read_known_run(const Digest& name) const;
  std::filesystem::path key_file(const Digest& key) const;
  std::filesystem::path staging_of(const Digest& key) const;
  std::filesystem::path root_;
  std::string maker_;
};

}   // namespace lastro
