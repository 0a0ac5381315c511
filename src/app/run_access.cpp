#include "app/run_access.h"

#include <algorithm>

#include "app/wiring.h"
#include "core/files.h"
#include "core/json.h"
#include "core/stage_registry.h"
#include "domain/errors.h"

namespace lastro {
namespace fs = std::filesystem;
namespace {

fs::path store_of(const Invocation& invocation, const RunRecord& record) {
  if (!invocation.store.empty()) return invocation.store;
  const Node* machine = record.tree().find("machine");
  const Node* store = machine ? machine->find("store") : nullptr;
  return store && store->as<std::string>() ? fs::path(store->text()) : fs::path("runs/store");
}

[[noreturn]] void refuse(const Damage& damage, const std::string& remedy) {
  throw ContractError(damage.file + " is damaged: wanted " + damage.wanted + ", found " + damage.found + " (nothing damaged is used) " + remedy,
                      damage.file, damage.wanted, damage.found);
}

}   // namespace

Node earlier_run(const std::string& field, fs::path file) {
  if (fs::is_directory(file)) file = record_file(file);
  if (!fs::exists(file))
    throw UsageError(field + " " + file.string() + " does not exist (it names an earlier run's manifest.out.yaml, or a digest in the store)");
  if (file.extension() == ".json") return parse_json(read_file(file), file.string());
  return RunRecord::read(file);
}

OpenedRun open_run(const Invocation& invocation) {
  const fs::path folder = run_folder(invocation.subject);
  auto record = RunRecord::load(folder);
  if (!record)
    throw UsageError(folder.string() +
                     " is no run (it has no manifest.out.yaml) give the directory of a run, e.g. runs/dev; `lastro run MANIFEST` makes one");
  const fs::path store = store_of(invocation, *record);
  return {folder, std::move(*record), FolderStore(store)};
}

std::string remedy_for_damage(const FolderStore& store, const Digest& digest, const std::string& stage) {
  const fs::path folder = store.folder_of(digest);
  if (!fs::exists(store.root())) return "the same run command makes " + stage + " again; where the store was moved, say --store";
  if (!fs::exists(folder)) return "the same run command makes " + stage + " again";
  return "remove " + folder.string() + ", and " +
         (stage.empty() ? "the run that made it makes it anew" : "the same run command makes " + stage + " anew");
}

ArtifactRecord expect_artifact(const FolderStore& store, const Digest& digest, const std::string& stage) {
  if (auto record = store.find_artifact(digest)) return *record;
  const std::string folder = store.folder_of(digest).string();
  throw ContractError("what " + stage + " made is gone from the store (" + folder + " has no artifact) " + remedy_for_damage(store, digest, stage),
                      folder, digest.to_string(), "no artifact");
}

void expect_whole(const FolderStore& store, const Digest& digest, const std::string& stage) {
  if (const auto damages = store.verify(digest); !damages.empty()) refuse(damages.front(), remedy_for_damage(store, digest, stage));
}

void expect_sizes(const FolderStore& store, const ArtifactRecord& artifact, const std::string& stage) {
  if (const auto misfits = store.misfits(artifact); !misfits.empty()) refuse(misfits.front(), remedy_for_damage(store, artifact.digest, stage));
}

FoundArtifact newest_artifact(const OpenedRun& run, std::span<const ArtifactType> types) {
  const Node* stages = run.record.tree().find("stages");
  std::string newest;
  for (const Entry& stage : stages ? stages->entries() : Node::Mapping{}) {
    const Node* name = stage.value.find("kind");
    const StageKind* kind = name && name->as<std::string>() ? stage_kinds().find(name->text()) : nullptr;
    if (kind && run.record.output_of(stage.key) && std::find(types.begin(), types.end(), kind->output) != types.end()) newest = stage.key;
  }
  if (newest.empty())
    throw UsageError(run.folder.string() + " has not made " + words_for(types) +
                     " yet (no stage that makes one is done) run its manifest to the end first");
  const Digest digest = *run.record.output_of(newest);
  ArtifactRecord record = expect_artifact(run.store, digest, newest);
  expect_whole(run.store, digest, newest);
  return {newest, std::move(record), run.store.folder_of(digest)};
}

}   // namespace lastro
