#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/digest.h"
#include "domain/node.h"

namespace lastro {

inline constexpr std::string_view record_file_name = "manifest.out.yaml";
inline std::filesystem::path record_file(const std::filesystem::path& run) { return run / record_file_name; }
// A command's RUN: a run directory, or the record in it.
inline std::filesystem::path run_folder(const std::filesystem::path& run) { return run.filename() == record_file_name ? run.parent_path() : run; }

// What a finished stage leaves in the record.
struct StageOutcome {
  std::string stage;
  Digest key;
  std::vector<std::pair<std::string, Digest>> inputs;   // by port; artifacts before sources
  Digest output;
  Node summary = Node::mapping();
  Node measured = Node::mapping();
  double wall_clock_s = 0;
  double cost_usd = 0;
  bool from_store = false;   // nothing was computed in this run
};

// <run>/manifest.out.yaml: the manifest as it was run, with what became of each stage under its name. It is a manifest itself: running it
// again must give the same hashes. Each change is written at once, all or nothing.
class RunRecord {
 public:
  // The record in a run directory, empty when there is none. Throws ContractError when it is not as it was written.
  static std::optional<RunRecord> load(const std::filesystem::path& run);

  // Another run's record, from its file; one of stages that does not say it is a record is taken as it is. Throws ContractError as load does.
  static Node read(const std::filesystem::path& file);

  // The earlier records that a run directory keeps. Throws ContractError at a damaged one.
  static std::vector<Node> history(const std::filesystem::path& run);

  // Begins a record with this manifest. What an equal manifest's record knows already stays; an unequal one's, or a damaged record, is kept in
  // <run>/history.
  static RunRecord begin(const std::filesystem::path& run, const Node& manifest);

  // `dependants`: the stages that build on it, entered so that whoever finds it failed can say what waits for it.
  void stage_begins(const std::string& stage, const std::vector<std::string>& dependants);
  void stage_done(const StageOutcome& outcome);
  void stage_interrupted(const std::string& stage, double seconds_so_far);
  void stage_failed(const std::string& stage, const std::string& cause);
  void stage_rolled_back(const std::string& stage);   // as if it had never run

  // A word on the whole run; whatever happens to a stage afterwards takes it back.
  void verdict(const Node& verdict);
  void note(std::string_view key, Node value);   // run-wide facts: the machine, differences from the reference

  const std::filesystem::path& folder() const { return run_; }
  const Node& tree() const { return tree_; }
  const Node* stage(std::string_view name) const;
  std::optional<Digest> output_of(std::string_view stage) const;
  std::optional<std::string> running_stage() const;     // one that began and neither ended nor failed
  double seconds_spent(std::string_view stage) const;   // on a stage that was interrupted; else 0
  double total_cost_usd() const;
  double total_wall_clock_s() const;

 private:
  RunRecord(std::filesystem::path run, Node tree) : run_(std::move(run)), tree_(std::move(tree)) {}
  Node& stage_entry(const std::string& name);
  void save() const;

  std::filesystem::path run_;
  Node tree_;
};

}   // namespace lastro
