#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "domain/artifact.h"
#include "domain/node.h"

namespace lastro {

struct ArtifactFile {
  std::string name;   // relative to the artifact's folder, '/' between parts
  std::uint64_t bytes = 0;
  Digest sha256;
};

// What the store knows about an artifact: objects/<digest>/artifact.json.
struct ArtifactRecord {
  ArtifactType type = ArtifactType::vocabulary;
  Digest digest;
  std::vector<ArtifactFile> files;   // sorted by name
  Node summary = Node::mapping();
};

// The digest of an artifact whose content is its files: SHA-256 over the type's name and, for each file in order of name, its name, length
// and digest. Every text is preceded by its length as eight little-endian bytes.
Digest digest_of_files(ArtifactType type, const std::vector<ArtifactFile>& files);

}  // namespace lastro
