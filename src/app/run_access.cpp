#include "app/run_access.h"

#include <algorithm>

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

bool has_readable_record(const fs::path& run) {
  try {
    return RunRecord::load(run).has_value();
  } catch (const ContractError&) {
    return false;
  }
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

std::string remedy_for_damage(const FolderStore& store, const Digest& digest, const fs::path& run, const std::string& stage) {
  bool has_record = false;
  try {
    has_record = store.find_artifact(digest).has_value();
  } catch (const ContractError&) {
    return std::string(remedy_for_store_record);
  }
  if (stage.empty()) return "no stage of this run made it: roll its stage back in the run that did, or let `lastro gc` sweep it";
  if (!has_record) return "the same run command makes " + stage + " again";
  if (!has_readable_record(run)) return "remove " + store.folder_of(digest).string() + ", and the same run command makes it anew";
  return "`lastro rollback " + run.string() + " " + stage + "`, then running the manifest again, makes it anew";
}

void expect_whole(const FolderStore& store, const Digest& digest, const fs::path& run, const std::string& stage) {
  if (const auto damages = store.verify(digest); !damages.empty()) refuse(damages.front(), remedy_for_damage(store, digest, run, stage));
}

void expect_sizes(const FolderStore& store, const ArtifactRecord& artifact, const fs::path& run, const std::string& stage) {
  if (const auto misfits = store.misfits(artifact); !misfits.empty()) refuse(misfits.front(), remedy_for_damage(store, artifact.digest, run, stage));
}

FoundArtifact newest_artifact(const OpenedRun& run, std::span<const ArtifactType> types) {
  const Node* stages = run.record.tree().find("stages");
  std::optional<FoundArtifact> newest;
  for (const Entry& stage : stages ? stages->entries() : Node::Mapping{}) {
    const auto digest = run.record.output_of(stage.key);
    const auto record = digest ? run.store.find_artifact(*digest) : std::nullopt;
    if (!record || std::find(types.begin(), types.end(), record->type) == types.end()) continue;
    newest = FoundArtifact{stage.key, *record, run.store.folder_of(*digest)};
  }
  if (!newest)
    throw UsageError(run.folder.string() + " has not made " + words_for(types) + " yet in " + run.store.root().string() +
                     " (no stage that makes one is done, or --store is another) run its manifest to the end first");
  expect_whole(run.store, newest->record.digest, run.folder, newest->stage);
  return *newest;
}

}   // namespace lastro
