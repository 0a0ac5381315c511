#include "app/verification.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

#include "app/wiring.h"
#include "core/checkpoint_reader.h"
#include "core/files.h"
#include "core/manifest.h"
#include "core/source_digest.h"
#include "data/resolve_source.h"
#include "domain/errors.h"
#include "runtime/checkpoint_folder.h"

namespace lastro {
namespace fs = std::filesystem;
namespace {

std::string words_for(const SourceSpec& source) {
  std::string words;
  for (const std::string& path : source.path) words += (words.empty() ? "" : ", ") + path;
  return words;
}

std::string remedy_for_checkpoint(const fs::path& folder) { return "remove " + folder.string() + "; training goes on from the newest whole one"; }

class Verification {
 public:
  explicit Verification(const OpenedRun& run) : run_(run) {
    const Node* stages = run.record.tree().find("stages");
    for (const Entry& stage : stages ? stages->entries() : Node::Mapping{})
      if (const auto digest = run.record.output_of(stage.key)) stage_of_.emplace(*digest, stage.key);
  }

  std::vector<Finding> glance(bool is_at_work) {
    for (const auto& [digest, stage] : stage_of_)
      for (Damage& damage : misfits_of(digest)) add(std::move(damage), remedy_for(digest));
    const auto newest = is_at_work ? std::nullopt : newest_verified_checkpoint();   // at work, checkpoints come and go
    if (newest)
      for (Damage& damage : misfits_of_checkpoint(*newest)) add(std::move(damage), remedy_for_checkpoint(*newest));
    return std::move(findings_.damages);
  }

  Findings look() {
    look_at_sources();
    look_at_artifacts();
    look_at_store_records();
    look_at_checkpoints();
    return std::move(findings_);
  }

 private:
  void add(Damage damage, std::string remedy) { findings_.damages.push_back({std::move(damage), std::move(remedy)}); }

  // A record is a manifest, with the hash that each source had.
  void look_at_sources() {
    const fs::path file = record_file(run_.folder);
    Problems problems;
    const Manifest manifest = read_manifest(read_file(file), file.string(), {}, stage_kinds(), problems);
    for (const Problem& problem : problems)
      add({file.string(), problem.to_string(), "a manifest", "another text"}, "move it away; the same run command writes a new one from the store");
    FileDigests nothing_known{fs::path()};
    for (const SourceSpec& source : manifest.sources) {
      if (source.generated || !source.expected_sha256) continue;
      ++findings_.sources;
      look_at_source(source, {file.string(), folder_of_the_run()}, nothing_known);
    }
  }

  void look_at_source(const SourceSpec& source, const SourcePlace& place, FileDigests& digests) {
    const std::string remedy = "bring back the text that was read; a run of the manifest with sha256: auto takes the new one";
    Problems problems;
    const auto found = resolve_source(source, place, digests, problems);
    const std::string wanted = source.expected_sha256->to_string();
    for (const Problem& problem : problems) add({words_for(source), problem.message, wanted, "no such text"}, remedy);
    if (!found || digest_of(*found) == *source.expected_sha256) return;
    const std::string which = "source " + source.name + (found->files.size() > 1 ? ", " + std::to_string(found->files.size()) + " files" : "");
    add({words_for(source), which, wanted, digest_of(*found).to_string()}, remedy);
  }

  // The directory from which the run's paths are looked up; this one where the record does not say.
  fs::path folder_of_the_run() const {
    const Node* machine = run_.record.tree().find("machine");
    const Node* folder = machine ? machine->find("folder") : nullptr;
    return folder && folder->as<std::string>() ? fs::path(folder->text()) : fs::path();
  }

  void look_at_artifacts() {
    std::set<Digest> digests;
    for (const Digest& digest : run_.store.artifacts()) digests.insert(digest);
    for (const auto& [digest, stage] : stage_of_) digests.insert(digest);
    for (const Digest& digest : digests) {
      ++findings_.artifacts;
      for (Damage& damage : damages_of(digest)) add(std::move(damage), remedy_for(digest));
    }
  }

  // What a checkpoint among an artifact's files has more than files: shards whose tiles say where the damage is.
  std::vector<Damage> damages_of(const Digest& digest) const {
    std::vector<Damage> damages = run_.store.verify(digest);
    const fs::path folder = run_.store.folder_of(digest);
    const bool has_checkpoint = has_record(digest) && AnyModel::is_one(run_.store.find_artifact(digest)->type);
    if (has_checkpoint)
      for (Damage& damage : verify_checkpoint(folder)) damages.push_back(std::move(damage));
    return damages;
  }

  // Its record can be read; without one an artifact counts as not there.
  bool has_record(const Digest& digest) const {
    try {
      return run_.store.find_artifact(digest).has_value();
    } catch (const ContractError&) {
      return false;
    }
  }

  std::string remedy_for(const Digest& digest) const {
    const auto stage = stage_of_.find(digest);
    return remedy_for_damage(run_.store, digest, stage == stage_of_.end() ? "" : stage->second);
  }

  void look_at_store_records() {
    for (Damage& damage : run_.store.damaged_records()) {
      const bool is_known_run = fs::path(damage.file).parent_path().filename() == "runs";
      add(std::move(damage), std::string(is_known_run ? remedy_for_known_run : remedy_for_store_record));
    }
  }

  std::vector<Damage> misfits_of(const Digest& digest) const {
    if (!has_record(digest)) return run_.store.verify(digest);   // says what is wrong with it
    return run_.store.misfits(*run_.store.find_artifact(digest));
  }

  std::set<fs::path> checkpoint_folders() const {
    std::set<fs::path> folders;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(run_.folder / "checkpoints", none))
      if (entry.is_directory()) folders.insert(entry.path());
    return folders;
  }

  // Empty once every stage is done: then nothing goes on from a checkpoint.
  std::optional<fs::path> newest_verified_checkpoint() const {
    const Node* stages = run_.record.tree().find("stages");
    const auto is_done = [&](const Entry& stage) { return run_.record.output_of(stage.key).has_value(); };
    if (!stages || std::all_of(stages->entries().begin(), stages->entries().end(), is_done)) return std::nullopt;
    std::optional<fs::path> newest;
    const auto age = [](const fs::path& folder) { return std::pair(folder.native().size(), folder.native()); };   // in the order of steps
    for (const fs::path& folder : checkpoint_folders()) {
      const bool is_of_another_key = folder.filename().native().find("-of-") != std::string::npos;
      if (!is_of_another_key && fs::exists(folder / marker_file_name) && (!newest || age(*newest) < age(folder))) newest = folder;
    }
    return newest;
  }

  void look_at_checkpoints() {
    for (const fs::path& folder : checkpoint_folders()) {
      const bool is_committed = fs::exists(folder / index_file_name), is_marked = fs::exists(folder / marker_file_name);
      if (!is_committed && !is_marked) {
        findings_.unfinished.push_back(folder.string() + " was never committed (the save was interrupted); the next run clears it away");
        continue;
      }
      ++findings_.checkpoints;
      const std::vector<Damage> damages = verify_checkpoint(folder);
      for (const Damage& damage : damages) add(damage, remedy_for_checkpoint(folder));
      if (damages.empty() && !is_marked)
        findings_.unfinished.push_back(folder.string() + " has no VERIFIED (the save was not read back); it hashes as it was written");
    }
  }

  const OpenedRun& run_;
  std::map<Digest, std::string> stage_of_;   // this run's artifacts
  Findings findings_;
};

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}   // namespace

Findings verify_run(const OpenedRun& run) { return Verification(run).look(); }

std::vector<Finding> glance_at_run(const OpenedRun& run, bool is_at_work) { return Verification(run).glance(is_at_work); }

void print(const std::vector<Finding>& damages) {
  for (const auto& [damage, remedy] : damages) {
    std::string words = damage.file;
    if (!damage.detail.empty()) words += " (" + damage.detail + ")";
    const bool is_told = contains(damage.detail, damage.wanted) && contains(damage.detail, damage.found);
    if (!is_told) words += ": wanted " + damage.wanted + ", found " + damage.found;
    std::printf("damaged: %s\n  to mend it: %s\n", words.c_str(), remedy.c_str());
  }
}

Node to_node(const std::vector<Finding>& damages) {
  Node list = Node::sequence();
  for (const auto& [damage, remedy] : damages) {
    Node node;
    node.set("file", damage.file);
    node.set("detail", damage.detail);
    node.set("wanted", damage.wanted);
    node.set("found", damage.found);
    node.set("remedy", remedy);
    list.push(std::move(node));
  }
  return list;
}

}   // namespace lastro
