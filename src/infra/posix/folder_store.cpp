#include "infra/posix/folder_store.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/files.h"
#include "core/hash.h"
#include "core/refused_file.h"
#include "core/sealed_json.h"
#include "core/utf8.h"
#include "domain/errors.h"
#include "infra/posix/lease.h"

namespace lastro {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view record_name = "artifact.json";

Digest digest_at(const Node& record, std::string_view key, const fs::path& file) {
  const Node* value = record.find(key);
  const auto digest = value && value->as<std::string>() ? Digest::parse(value->text()) : std::nullopt;
  if (!digest) throw ContractError(file.string() + " is damaged (\"" + std::string(key) + "\" is no digest)");
  return *digest;
}

Node to_node(const ArtifactRecord& record) {
  Node files = Node::sequence();
  for (const ArtifactFile& file : record.files) {
    Node entry;
    entry.set("name", file.name);
    entry.set("bytes", static_cast<std::int64_t>(file.bytes));
    entry.set("sha256", file.sha256.to_string());
    files.push(std::move(entry));
  }
  Node node;
  node.set("format", "lastro-artifact-1");
  node.set("type", name_of(record.type));
  node.set("digest", record.digest.to_string());
  node.set("files", std::move(files));
  node.set("summary", record.summary);
  return node;
}

ArtifactType type_named(std::string_view name, const fs::path& file) {
  for (const auto& entry : artifact_type_names)
    if (entry.name == name) return entry.type;
  throw ContractError(file.string() + " has the unknown artifact type \"" + std::string(name) + "\" (written by a newer version?)");
}

ArtifactRecord artifact_from(const Node& node, const fs::path& file) {
  ArtifactRecord record;
  record.type = type_named(node.at("type").text(), file);
  record.digest = digest_at(node, "digest", file);
  for (const Node& entry : node.at("files").items())
    record.files.push_back({entry.at("name").text(), static_cast<std::uint64_t>(entry.at("bytes").integer()), digest_at(entry, "sha256", file)});
  record.summary = node.at("summary");
  return record;
}

Node to_node(const KeyRecord& record) {
  Node node;
  node.set("format", "lastro-key-1");
  node.set("key", record.key.to_string());
  node.set("artifact", record.artifact.to_string());
  node.set("recipe", record.recipe);
  node.set("measured", record.measured);
  node.set("wall_clock_sec", record.wall_clock_s);
  node.set("cost_usd", record.cost_usd);
  return node;
}

KeyRecord key_from(const Node& node, const fs::path& file) {
  return {.key = digest_at(node, "key", file),
          .artifact = digest_at(node, "artifact", file),
          .recipe = node.at("recipe"),
          .measured = node.at("measured"),
          .wall_clock_s = node.at("wall_clock_sec").number(),
          .cost_usd = node.at("cost_usd").number()};
}

// One of the store's own records.
template <class Read>
auto read_record(const fs::path& file, Read read) {
  try {
    return read(read_sealed_json(file), file);
  } catch (const ContractError& error) {
    throw ContractError(error.what(), file.string(), error.wanted, error.found);
  } catch (const InternalError& error) {   // under a seal that is true
    throw ContractError(file.string() + " is not a record of this version (" + error.what() + ")", file.string(), "a record of this version",
                        "another");
  }
}

// One that cannot be read stops everything that needs it, until it is made again.
auto with_remedy(std::string_view remedy, auto read) {
  try {
    return read();
  } catch (const ContractError& error) {
    throw ContractError(error.what() + (" " + std::string(remedy)), error.artifact, error.wanted, error.found);
  }
}

bool is_utf8(std::string_view text) {
  while (const std::size_t bytes = utf8_sequence_length(text)) text.remove_prefix(bytes);
  return text.empty();
}

// A file of another size than it was written with, or none.
std::optional<Damage> misfit_at(const fs::path& file, std::uint64_t bytes) {
  std::error_code error;
  const auto found = fs::file_size(file, error);
  if (!error && found == bytes) return std::nullopt;
  return Damage{file.string(), "", std::to_string(bytes) + " bytes", error ? "no file" : std::to_string(found) + " bytes"};
}

// Everything below a folder, as names relative to it, sorted.
std::vector<std::string> files_below(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (!entry.is_directory()) names.push_back(fs::relative(entry.path(), folder).generic_string());
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<Digest> digests_named_in(const fs::path& folder) {
  std::vector<Digest> digests;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none))
    if (const auto digest = Digest::parse(entry.path().stem().string())) digests.push_back(*digest);
  std::sort(digests.begin(), digests.end());
  return digests;
}

}   // namespace

FolderStore::FolderStore(fs::path root, const fs::path& run)
    : root_(std::move(root)), maker_(run.empty() ? "" : "-" + sha256(run.string()).hex().substr(0, 12)) {}

fs::path FolderStore::folder_of(const Digest& digest) const { return root_ / "objects" / digest.hex(); }
fs::path FolderStore::key_file(const Digest& key) const { return root_ / "keys" / (key.hex() + ".json"); }
fs::path FolderStore::staging_of(const Digest& key) const { return root_ / "staging" / (key.hex() + maker_); }

KeyRecord FolderStore::read_key(const Digest& key) const {
  const fs::path file = key_file(key);
  KeyRecord record = read_record(file, key_from);
  if (record.key != key) throw ContractError(file.string() + " belongs to another key", file.string(), key.to_string(), record.key.to_string());
  return record;
}

std::optional<KeyRecord> FolderStore::find_key(const Digest& key) const {
  if (!fs::exists(key_file(key))) return std::nullopt;
  return with_remedy(remedy_for_store_record, [&] { return read_key(key); });
}

ArtifactRecord FolderStore::read_artifact(const Digest& digest) const {
  const fs::path file = folder_of(digest) / record_name;
  ArtifactRecord record = read_record(file, artifact_from);
  if (record.digest != digest)
    throw ContractError(file.string() + " belongs to another artifact", file.string(), digest.to_string(), record.digest.to_string());
  return record;
}

std::optional<ArtifactRecord> FolderStore::find_artifact(const Digest& digest) const {
  if (!fs::exists(folder_of(digest) / record_name)) return std::nullopt;
  return with_remedy(remedy_for_store_record, [&] { return read_artifact(digest); });
}

fs::path FolderStore::begin(const Digest& key) {
  const fs::path folder = staging_of(key);
  std::error_code error;
  fs::remove_all(folder, error);
  make_folders(folder);
  return folder;
}

void FolderStore::commit(const ArtifactRecord& artifact, const KeyRecord& key) {
  const fs::path staged = staging_of(key.key);
  const fs::path home = folder_of(artifact.digest);
  make_folders(root_ / "keys");
  make_folders(home.parent_path());
  const Lease turn(root_ / "staging", std::chrono::minutes(10));               // another run may be about to commit the same
  if (!fs::exists(home / record_name) || !verify(artifact.digest).empty()) {   // what is damaged there is replaced
    for (const ArtifactFile& file : artifact.files) {
      sync_file(staged / file.name);
      fs::permissions(staged / file.name, fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read);
    }
    write_sealed_json(staged / record_name, to_node(artifact));
    std::error_code error;
    fs::remove_all(home, error);   // no whole artifact: damaged, or what an interrupted copy by hand has left
    if (::rename(staged.c_str(), home.c_str()) != 0) refuse_file(home, "cannot be committed", "rename", errno);
    sync_folder(home.parent_path());
  } else {
    std::error_code error;
    fs::remove_all(staged, error);   // the same content is there already, perhaps made from another key
  }
  write_sealed_json(key_file(key.key), to_node(key));
}

std::vector<Damage> FolderStore::verify(const Digest& digest) const {
  const fs::path folder = folder_of(digest);
  std::vector<Damage> damages;
  if (!fs::exists(folder / record_name)) return {{folder.string(), "", digest.to_string(), "no artifact"}};
  ArtifactRecord record;
  try {
    record = read_artifact(digest);
  } catch (const ContractError& error) {
    return {damage_of(error.artifact, error)};
  }
  std::vector<std::string> unexpected = files_below(folder);
  std::erase(unexpected, std::string(record_name));
  for (const ArtifactFile& file : record.files) {
    const fs::path path = folder / file.name;
    std::erase(unexpected, file.name);
    if (const auto misfit = misfit_at(path, file.bytes))
      damages.push_back(*misfit);
    else if (const Digest found = sha256_file(path); found != file.sha256)
      damages.push_back({path.string(), "", file.sha256.to_string(), found.to_string()});
  }
  for (const std::string& name : unexpected)
    damages.push_back({(folder / name).string(), "", "no such file", "a file that the artifact does not list"});
  const bool content_is_files = record.type != ArtifactType::checkpoint;   // a checkpoint's digest is over its logical tiles
  if (content_is_files && digest_of_files(record.type, record.files) != digest)
    damages.push_back({(folder / record_name).string(), "", digest.to_string(), digest_of_files(record.type, record.files).to_string()});
  return damages;
}

std::vector<Damage> FolderStore::misfits(const ArtifactRecord& artifact) const {
  std::vector<Damage> damages;
  for (const ArtifactFile& file : artifact.files)
    if (const auto misfit = misfit_at(folder_of(artifact.digest) / file.name, file.bytes)) damages.push_back(*misfit);
  return damages;
}

void FolderStore::forget(const Digest& key) const {
  std::error_code none;
  if (fs::remove(key_file(key), none)) sync_folder(root_ / "keys");
}

void FolderStore::sweep(const Digest& digest) const {
  for (const Digest& key : keys()) {
    const auto record = find_key(key);
    if (record && record->artifact == digest) fs::remove(key_file(key));
  }
  sync_folder(root_ / "keys");
  fs::remove_all(folder_of(digest));
}

void FolderStore::sweep_staging() const { fs::remove_all(root_ / "staging"); }

void FolderStore::remember_run(const fs::path& run) const {
  const fs::path file = root_ / "runs" / sha256(run.string()).hex();
  if (fs::exists(file)) return;
  make_folders(file.parent_path());
  write_file(file, run.string());
}

fs::path FolderStore::read_known_run(const Digest& name) const {
  const fs::path file = root_ / "runs" / name.hex();
  const std::string text = read_file(file);
  if (const Digest found = sha256(text); found != name)
    throw ContractError(file.string() + " is damaged (it is named by the hash of the run directory's path that it holds, and holds " +
                            (is_utf8(text) ? "\"" + text + "\"" : "no text") + ")",
                        file.string(), name.to_string(), found.to_string());
  return text;
}

std::vector<fs::path> FolderStore::known_runs() const {
  std::vector<fs::path> runs;
  for (const Digest& name : digests_named_in(root_ / "runs")) runs.push_back(with_remedy(remedy_for_known_run, [&] { return read_known_run(name); }));
  std::sort(runs.begin(), runs.end());
  return runs;
}

std::vector<Damage> FolderStore::damaged_records() const {
  std::vector<Damage> damages;
  const auto look = [&](auto read) {
    try {
      read();
    } catch (const ContractError& error) {
      damages.push_back(damage_of(error.artifact, error));
    }
  };
  for (const Digest& key : keys()) look([&] { read_key(key); });
  for (const Digest& name : digests_named_in(root_ / "runs")) look([&] { read_known_run(name); });
  return damages;
}

std::vector<Digest> FolderStore::artifacts() const { return digests_named_in(root_ / "objects"); }
std::vector<Digest> FolderStore::keys() const { return digests_named_in(root_ / "keys"); }

}   // namespace lastro
