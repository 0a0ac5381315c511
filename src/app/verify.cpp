#include <cstdio>
#include <set>

#include "app/commands.h"
#include "app/run_access.h"
#include "core/checkpoint_reader.h"
#include "core/json.h"
#include "core/text_of_number.h"
#include "domain/errors.h"

namespace lastro {
namespace fs = std::filesystem;
namespace {

struct Findings {
  std::vector<Damage> damages;
  std::int64_t artifacts = 0;
  std::int64_t checkpoints = 0;

  std::vector<std::string> remedies;   // in the order of the stages

  void add(std::vector<Damage> more) { damages.insert(damages.end(), more.begin(), more.end()); }
};

// What a checkpoint among an artifact's files has more than files: shards whose tiles say where the damage is.
std::vector<Damage> verify_artifact(const FolderStore& store, const Digest& digest, ArtifactType type) {
  std::vector<Damage> damages = store.verify(digest);
  const bool is_model = type == ArtifactType::checkpoint || type == ArtifactType::sft_model || type == ArtifactType::policy;
  if (!is_model) return damages;
  for (Damage& damage : verify_checkpoint(store.folder_of(digest))) damages.push_back(std::move(damage));
  return damages;
}

void verify_stages(const OpenedRun& run, Findings& findings) {
  const Node* stages = run.record.tree().find("stages");
  for (const Entry& stage : stages ? stages->entries() : Node::Mapping{}) {
    const auto digest = run.record.output_of(stage.key);
    if (!digest) continue;
    ++findings.artifacts;
    const std::size_t before = findings.damages.size();
    try {
      const auto artifact = run.store.find_artifact(*digest);
      if (!artifact) {
        findings.damages.push_back({run.store.folder_of(*digest).string(), stage.key, digest->to_string(), "no artifact"});
      } else {
        findings.add(verify_artifact(run.store, *digest, artifact->type));
      }
    } catch (const ContractError& error) {
      findings.damages.push_back({run.store.folder_of(*digest).string(), error.what(), error.wanted, error.found});
    }
    if (const Node* key = stage.value.find("key"); key && key->as<std::string>() && Digest::parse(key->text())) {
      try {
        run.store.find_key(*Digest::parse(key->text()));
      } catch (const ContractError& error) {
        findings.damages.push_back({error.artifact, error.what(), error.wanted, error.found});
      }
    }
    if (findings.damages.size() > before) findings.remedies.push_back(remedy_for_damage(run.folder, stage.key));
  }
}

void verify_checkpoints(const OpenedRun& run, Findings& findings) {
  std::set<fs::path> folders;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(run.folder / "checkpoints", none))
    if (entry.is_directory() && fs::exists(entry.path() / "index.json")) folders.insert(entry.path());
  for (const fs::path& folder : folders) {
    ++findings.checkpoints;
    findings.add(verify_checkpoint(folder));
  }
}

std::string words_for(const Damage& damage) {
  std::string words = damage.file;
  if (!damage.detail.empty()) words += " (" + damage.detail + ")";
  if (!damage.wanted.empty() || !damage.found.empty()) words += ": wanted " + damage.wanted + ", found " + damage.found;
  return words;
}

Node to_node(const Damage& damage) {
  Node node;
  node.set("file", damage.file);
  node.set("detail", damage.detail);
  node.set("wanted", damage.wanted);
  node.set("found", damage.found);
  return node;
}

}   // namespace

int verify_command(const Invocation& invocation) {
  const OpenedRun run = open_run(invocation);
  Findings findings;
  verify_stages(run, findings);
  verify_checkpoints(run, findings);

  if (invocation.json) {
    Node damages = Node::sequence();
    for (const Damage& damage : findings.damages) damages.push(to_node(damage));
    Node line;
    line.set("artifacts", findings.artifacts);
    line.set("checkpoints", findings.checkpoints);
    line.set("damages", std::move(damages));
    Node remedies = Node::sequence();
    for (const std::string& remedy : findings.remedies) remedies.push(remedy);
    line.set("remedies", std::move(remedies));
    std::printf("%s\n", to_json(line).c_str());
  } else {
    for (const Damage& damage : findings.damages) std::printf("damaged: %s\n", words_for(damage).c_str());
    for (const std::string& remedy : findings.remedies) std::printf("%s\n", remedy.c_str());
    std::printf("%s and %s hashed: %s\n", counted(findings.artifacts, "artifact").c_str(), counted(findings.checkpoints, "checkpoint").c_str(),
                findings.damages.empty() ? "all as they were written" : (std::to_string(findings.damages.size()) + " damaged").c_str());
  }
  return static_cast<int>(findings.damages.empty() ? ExitCode::ok : ExitCode::contract);
}

}   // namespace lastro
