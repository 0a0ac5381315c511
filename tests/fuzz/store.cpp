// The store's records: what lies in a key's or an artifact's place is refused, or gives a record of just that key or artifact. The bytes are read as
// they are and, where they are JSON, with a seal that is true.
#include "core/hash.h"
#include "fuzz_target.h"
#include "infra/posix/folder_store.h"
#include "resealed.h"

namespace lastro {
namespace {

const Digest key = sha256("key"), artifact = sha256("artifact");

void must_hold_for_store(const FolderStore& store) {
  reads_or_refuses([&] { require(store.find_key(key)->key == key); });
  reads_or_refuses([&] { require(store.find_artifact(artifact)->digest == artifact); });
  store.verify(artifact);
}

}   // namespace

void must_hold_for(std::string_view bytes) {
  const FolderStore store(fuzz_folder());
  const std::string key_record = "keys/" + key.hex() + ".json", artifact_record = "objects/" + artifact.hex() + "/artifact.json";
  std::filesystem::create_directories((fuzz_folder() / key_record).parent_path());
  std::filesystem::create_directories((fuzz_folder() / artifact_record).parent_path());
  const auto must_hold = [&](std::string_view record) {
    fuzz_file(key_record, record);
    fuzz_file(artifact_record, record);
    must_hold_for_store(store);
  };
  must_hold(bytes);
  reads_or_refuses([&] { must_hold(resealed(bytes)); });
}

std::vector<std::string> good_inputs() {
  FolderStore store(fuzz_folder());
  KeyRecord key_record{.key = key, .artifact = artifact, .wall_clock_s = 1.5};
  const auto staged = store.begin(key);
  std::ofstream(staged / "a.txt") << "a";
  store.commit({.type = ArtifactType::vocabulary, .digest = artifact, .files = {{"a.txt", 1, sha256("a")}}}, key_record);
  return {bytes_of(fuzz_folder() / "keys" / (key.hex() + ".json")), bytes_of(store.folder_of(artifact) / "artifact.json")};
}

}   // namespace lastro
