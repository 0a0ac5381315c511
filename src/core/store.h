#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "domain/artifact.h"
#include "domain/errors.h"
#include "domain/node.h"

namespace lastro {

struct ArtifactFile {
  std::string name;   // relative to the artifact's folder, '/' between parts
  std::uint64_t bytes = 0;
  Digest sha256;
  bool operator==(const ArtifactFile&) const = default;
};

// What the store knows of an artifact (objects/<digest>/artifact.json).
struct ArtifactRecord {
  ArtifactType type = ArtifactType::vocabulary;
  Digest digest;
  std::vector<ArtifactFile> files;   // sorted by name
  Node summary = Node::mapping();    // the stage's key numbers
};

// What a stage key led to (keys/<key>.json).
struct KeyRecord {
  Digest key;
  Digest artifact;
  Node recipe = Node::mapping();     // what the key is the hash of, so that a later plan can name what differs
  Node measured = Node::mapping();   // numbers that may differ between equal runs
  double wall_clock_s = 0;
  double cost_usd = 0;
};

// The digest of an artifact whose content is its files: SHA-256 over the type's name and, for each file in order of name, its name, length
// and digest. Every text is preceded by its length as eight little-endian bytes.
Digest digest_of_files(ArtifactType type, const std::vector<ArtifactFile>& files);

// One thing that is not as it was when the store wrote it.
struct Damage {
  std::string file;     // path, as a person would look for it
  std::string detail;   // what is wrong, or where: dataset and tile of a checkpoint
  std::string wanted;
  std::string found;
};
// What an error says of a file, without the file's name and the word that it is damaged.
Damage damage_of(const std::string& file, const Error& error);

// Where artifacts live; nothing in it is ever changed, only added or swept. Errors: EnvironmentError (the file system refuses), ContractError (an
// entry is damaged; its path, wanted and found are named).
class Store {
 public:
  virtual ~Store() = default;
  virtual std::optional<KeyRecord> find_key(const Digest& key) const = 0;
  virtual std::optional<ArtifactRecord> find_artifact(const Digest& digest) const = 0;
  virtual std::filesystem::path folder_of(const Digest& digest) const = 0;

  // An empty folder, on the store's file system, to make an artifact in; the same one for the same key, its earlier content gone.
  virtual std::filesystem::path begin(const Digest& key) = 0;

  // Makes the folder that begin() gave an artifact: all or nothing, durable when it returns. The files' digests were computed by the caller.
  virtual void commit(const ArtifactRecord& artifact, const KeyRecord& key) = 0;

  // Re-hashes an artifact's files. Empty when all is well.
  virtual std::vector<Damage> verify(const Digest& digest) const = 0;
};

}   // namespace lastro
