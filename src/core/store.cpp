#include "core/store.h"

#include "core/hash.h"

namespace lastro {

Digest digest_of_files(ArtifactType type, const std::vector<ArtifactFile>& files) {
  Sha256 hash;
  const auto text = [&hash](std::string_view value) { hash.update_u64(value.size()).update(value); };
  text(name_of(type));
  for (const ArtifactFile& file : files) {
    text(file.name);
    hash.update_u64(file.bytes).update(std::as_bytes(std::span(file.sha256.bytes)));
  }
  return hash.finish();
}

}   // namespace lastro
