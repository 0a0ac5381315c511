#pragma once

#include <optional>

#include "app/command_line.h"
#include "core/planner.h"
#include "domain/manifest.h"
#include "infra/posix/folder_store.h"
#include "runtime/runner.h"

namespace lastro {

// A manifest that was read, checked and made sure of: its sources found, hashed and recorded.
class RunPlanner {
 public:
  // Throws UsageError that lists every problem, each with its place, and ContractError when a source is not what the manifest records.
  explicit RunPlanner(const Invocation& invocation);

  const Manifest& manifest() const { return manifest_; }
  const std::filesystem::path& run() const { return run_; }
  FolderStore& store() { return store_; }
  const FolderStore& store() const { return store_; }

  // From here on, an artifact whose record is damaged counts as not there, and files of other sizes than recorded as whole. Without it, a plan
  // throws ContractError where it meets either.
  void pass_over_damage() { passes_over_damage_ = true; }

  // The manifest as the record keeps it: all defaults, --set, source hashes and the commit filled in.
  Node resolved_manifest() const;

  // Looks at the store as it is now.
  Planned plan() const;

  // The first stage whose artifact the store lacks. Throws BudgetError when what is left breaks budget or memory, and
  // ContractError when the store has something else than the manifest expects.
  std::optional<NextStage> next_stage() const;

  // Enters every stage that the store has in the record.
  void enter_known(RunRecord& record) const;

  // Enters in the record where its store is and where the paths of its sources start, and the run in the store, whose sweeps ask each run what it
  // names. Writes nothing where all is known.
  void enter_places(RunRecord& record) const;

  // What a person should know before the plan is looked at or carried out: that there are no gates, that the manifest is an edited record, that the
  // run's own record is damaged.
  std::vector<std::string> remarks() const;

  // What the disk has no room for, if anything, of what the plan will write.
  std::optional<std::string> disk_shortage_of(const Plan& plan) const;

  // "dev: 5 stages, 2 are there; about 3m10s, 0.01 USD": what a person sees before the first stage.
  std::string headline() const;

 private:
  void resolve_sources(Problems& problems);
  void record_source_digests();
  void look_for_earlier_runs(Problems& problems) const;
  std::optional<Digest> find_output(const std::string& stage, const Digest& key) const;
  std::optional<Node> last_key_fields(const std::string& stage) const;

  Manifest manifest_;
  Sources sources_;
  std::filesystem::path run_;
  FolderStore store_;
  Surroundings surroundings_;
  bool passes_over_damage_ = false;
};

// On stderr, like errors.
void print_remarks(const RunPlanner& planner);

// That more threads than `cores` were asked for, all ranks together; empty where the threads were left to us, or are one a rank, as
// they would be then.
std::optional<std::string> crowding_of(const Invocation& invocation, int cores);

// On stderr: what the disk has no room for of what is left to run.
void print_disk_shortage(const RunPlanner& planner, const Plan& plan);

// The problems of a manifest, one a line; of many the first twenty, and how many more there are.
std::string lines_of(const Problems& problems);

}   // namespace lastro
