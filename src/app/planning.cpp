#include "app/planning.h"

#include <unistd.h>

#include "app/run_access.h"
#include "app/terminal.h"
#include "app/wiring.h"
#include "core/cost.h"
#include "core/disk_room.h"
#include "core/files.h"
#include "core/gatekeeper.h"
#include "core/manifest.h"
#include "core/overrides.h"
#include "core/record_text.h"
#include "core/source_digest.h"
#include "core/text_of_number.h"
#include "data/resolve_source.h"
#include "domain/errors.h"
#include "domain/version.h"

namespace lastro {
namespace fs = std::filesystem;
namespace {

constexpr std::uintmax_t most_manifest_bytes = std::uintmax_t{16} << 20;

Manifest read_checked(const Invocation& invocation) {
  const std::string file = invocation.subject.string();
  if (!fs::exists(invocation.subject)) throw UsageError(file + " does not exist (the manifest of the run) try manifests/dev.yaml");
  if (fs::is_directory(invocation.subject))
    throw UsageError(file + (fs::exists(record_file(invocation.subject))
                                 ? " is a run directory (a manifest is a file) name its manifest.out.yaml to make the same again"
                                 : " is a folder (a manifest is a file) name the file"));
  if (!fs::is_regular_file(invocation.subject) || fs::file_size(invocation.subject) > most_manifest_bytes)
    throw UsageError(file + " is no manifest (a manifest is a file of at most 16 MiB) name another");
  Problems problems;
  Manifest manifest = read_manifest(read_file(invocation.subject), file, invocation.sets, stage_kinds(), problems);
  if (!problems.empty()) throw UsageError(lines_of(problems));
  return manifest;
}

fs::path store_of(const Invocation& invocation, const Manifest& manifest) {
  if (!invocation.store.empty()) return invocation.store;
  return manifest.store ? fs::path(*manifest.store) : fs::path("runs/store");
}

// Whatever they are called, and whether they are there yet.
bool are_one_folder(const fs::path& one, const fs::path& other) {
  const auto true_name = [](const fs::path& folder) { return fs::weakly_canonical(fs::absolute(folder) / ""); };
  return true_name(one) == true_name(other);
}

ResolvedInput resolved(const PlannedInput& input, const Plan& plan, const FolderStore& store) {
  if (!input.stage) return {input.port, std::nullopt, input.sources};
  const PlannedStage& maker = plan.stages[*input.stage];
  const fs::path folder = fs::absolute(store.folder_of(*input.digest));
  return {input.port, ResolvedArtifact{maker.output_type, *input.digest, folder, remedy_for_damage(store, *input.digest, maker.name)}, {}};
}

void expect_output(const PlannedStage& stage, const std::string& manifest) {
  if (!stage.expected_output || *stage.expected_output == *stage.output) return;
  throw ContractError(stage.name + " is " + stage.output->to_string() + " in the store, expected " + stage.expected_output->to_string() + " by " +
                          manifest + " (its inputs, settings or this program's rules are not those of the run that gave the hash)",
                      stage.name, stage.expected_output->to_string(), stage.output->to_string());
}

std::int64_t bytes_below(const fs::path& folder) {
  std::int64_t bytes = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code gone;   // a run at work removes files
    const std::uintmax_t size = entry->is_regular_file(gone) ? entry->file_size(gone) : 0;
    if (!gone) bytes += static_cast<std::int64_t>(size);
  }
  return bytes;
}

}   // namespace

std::string lines_of(const Problems& problems) {
  constexpr std::size_t most_told = 20;
  const std::size_t told = std::min(problems.size(), most_told);
  std::string lines = problems.size() == 1 ? "" : std::to_string(problems.size()) + " problems";
  for (std::size_t i = 0; i < told; ++i) lines += (lines.empty() ? "" : "\n") + problems[i].to_string();
  if (problems.size() > told) lines += "\nand " + std::to_string(problems.size() - told) + " more (mend these first)";
  return lines;
}

RunPlanner::RunPlanner(const Invocation& invocation)
    : manifest_(read_checked(invocation)),
      run_(invocation.run.empty() ? fs::path("runs") / manifest_.name : invocation.run),
      store_(store_of(invocation, manifest_)) {
  if (are_one_folder(run_, store_.root()))
    throw UsageError(run_.string() +
                     " is the run directory and the store (each is held by a lease of its own) name another folder by --run or --store, e.g. " +
                     "--store " + (run_ / "store").string());
  Problems problems;
  resolve_sources(problems);
  look_for_earlier_runs(problems);
  name_assignments(problems, invocation.sets);
  if (!problems.empty()) throw UsageError(lines_of(problems));
  record_source_digests();
  if (manifest_.git_commit == "auto") manifest_.git_commit = program_commit();
  surroundings_.sources = sources_;
  surroundings_.ranks = invocation.ranks;
  surroundings_.threads_per_rank = threads_of(invocation);
  surroundings_.measured_peak_flops = manifest_.rates.peak_tflops ? 0 : peak_tflops(surroundings_.threads_per_rank) * 1e12;
  surroundings_.memory_limit_bytes = memory_limit_bytes(invocation.ranks);
  surroundings_.find_output = [this](const std::string& stage, const Digest& key) { return find_output(stage, key); };
  surroundings_.summary_of = [this](const Digest& artifact) {
    const auto record = store_.find_artifact(artifact);
    return record ? std::optional(record->summary) : std::nullopt;
  };
  surroundings_.last_key_fields = [this](const std::string& stage) { return last_key_fields(stage); };
}

void RunPlanner::resolve_sources(Problems& problems) {
  FileDigests digests(default_digest_cache());
  for (const SourceSpec& spec : manifest_.sources)
    if (auto source = resolve_source(spec, {manifest_.file, {}}, digests, problems)) sources_.push_back(std::move(*source));
  digests.save();
}

// Only once every source was found, so that both lists go together.
void RunPlanner::record_source_digests() {
  check_source_digests(manifest_, sources_);
  for (std::size_t i = 0; i < sources_.size(); ++i) manifest_.sources[i].sha256 = digest_of(sources_[i]).to_string();   // checked at a replay
}

// They are read at the run's end; better to hear now that they are not there.
void RunPlanner::look_for_earlier_runs(Problems& problems) const {
  const auto refuse = [&](const std::string& field, Mark mark, const std::string& value, const std::string& reason) {
    problems.push_back({manifest_.file, mark, field + "=\"" + value + "\" " + reason});
  };
  const auto read = [&](const std::string& field, Mark mark, const std::string& value) {
    try {
      earlier_run(field, value);
    } catch (const EnvironmentError&) {   // the file system's fault, not the manifest's
      throw;
    } catch (const Error& error) {
      refuse(field, mark, value, "cannot be used: " + std::string(error.what()) + " (it is read at the run's end) name another");
    }
  };
  const std::optional<std::string>& reference = manifest_.reference;
  const std::optional<std::string>& baseline = manifest_.baseline;
  if (reference && !fs::exists(*reference))
    refuse("reference", manifest_.reference_mark, *reference,
           "does not exist (the run is compared with it at its end) name a run directory or its manifest.out.yaml");
  else if (reference)
    read("reference", manifest_.reference_mark, *reference);
  for (const Gate& gate : manifest_.gates)
    if (gate.reference == "baseline" && !baseline)
      problems.push_back(
          {manifest_.file, gate.mark,
           "gates." + gate.measurement + "=\"" + gate.condition() + "\" asks for the baseline (none is named) say baseline: and an earlier report"});
  if (!baseline) return;
  if (const auto digest = Digest::parse(*baseline)) {
    if (!store_.find_artifact(*digest))
      refuse("baseline", manifest_.baseline_mark, *baseline,
             "is not in the store " + store_.root().string() + " (gates are judged by it) name another report, or --store");
  } else if (!fs::exists(*baseline)) {
    refuse("baseline", manifest_.baseline_mark, *baseline,
           "does not exist (gates are judged by it) name a report.json, a run directory, or the digest of a report in the store");
  } else {
    read("baseline", manifest_.baseline_mark, *baseline);
  }
}

std::optional<Digest> RunPlanner::find_output(const std::string& stage, const Digest& key) const {
  try {
    const auto record = store_.find_key(key);
    const auto artifact = record ? store_.find_artifact(record->artifact) : std::nullopt;
    if (!artifact) return std::nullopt;   // swept, or lost: it is made again
    if (!passes_over_damage_) expect_sizes(store_, *artifact, stage);
    return record->artifact;
  } catch (const ContractError&) {
    if (passes_over_damage_) return std::nullopt;
    throw;
  }
}

// What the stage of that name in this run's last record had as its key's fields.
std::optional<Node> RunPlanner::last_key_fields(const std::string& stage) const {
  try {
    const auto record = RunRecord::load(run_);
    const Node* entry = record ? record->stage(stage) : nullptr;
    const Node* key = entry ? entry->find("key") : nullptr;
    const auto digest = key && key->as<std::string>() ? Digest::parse(key->text()) : std::nullopt;
    const auto made = digest ? store_.find_key(*digest) : std::nullopt;
    return made ? std::optional(made->recipe) : std::nullopt;
  } catch (const ContractError&) {
    return std::nullopt;   // only an explanation is lost
  }
}

Node RunPlanner::resolved_manifest() const { return to_node(manifest_); }

Planned RunPlanner::plan() const { return lastro::plan(manifest_, stage_kinds(), surroundings_); }

std::optional<NextStage> RunPlanner::next_stage() const {
  const Planned planned = plan();
  const Plan& plan = planned.plan;
  for (std::size_t i = 0; i < plan.stages.size(); ++i) {
    const PlannedStage& stage = plan.stages[i];
    if (stage.output) {
      expect_output(stage, manifest_.file);
      continue;
    }
    refuse_excesses(planned);
    NextStage next{.order = {.stage = stage.name,
                             .kind = stage.kind,
                             .version = stage.version,
                             .settings = stage.settings,
                             .seed = plan.seed,
                             .key = stage.key,
                             .memory_limit_bytes = plan.memory_limit_bytes},
                   .recipe = stage.key_fields,
                   .inputs = input_digests(stage),
                   .expected = stage.expected_output,
                   .expected_by = manifest_.file};
    for (const PlannedInput& input : stage.inputs) next.order.inputs.push_back(resolved(input, plan, store_));
    for (const std::size_t waiting : descendants(plan, i)) next.dependants.push_back(plan.stages[waiting].name);
    return next;
  }
  return std::nullopt;
}

void RunPlanner::enter_known(RunRecord& record) const {
  for (const PlannedStage& stage : plan().plan.stages) {
    if (!stage.output || record.output_of(stage.name) == stage.output) continue;
    const auto key = store_.find_key(stage.key);
    const auto artifact = store_.find_artifact(*stage.output);
    if (!key || !artifact) continue;
    record.stage_done({.stage = stage.name,
                       .key = stage.key,
                       .inputs = input_digests(stage),
                       .output = *stage.output,
                       .summary = artifact->summary,
                       .measured = key->measured,
                       .wall_clock_s = key->wall_clock_s,
                       .cost_usd = key->cost_usd,
                       .from_store = true});
  }
}

void RunPlanner::enter_places(RunRecord& record) const {
  Node machine = record.tree().find("machine") ? record.tree().at("machine") : Node::mapping();
  machine.set("store", fs::absolute(store_.root()).lexically_normal().string());
  machine.set("folder", fs::current_path().string());
  if (!record.tree().find("machine") || !(record.tree().at("machine") == machine)) record.note("machine", std::move(machine));
  if (::access(store_.root().c_str(), W_OK) == 0) store_.remember_run(fs::absolute(run_).lexically_normal());   // no other can be swept
}

std::vector<std::string> RunPlanner::remarks() const {
  std::vector<std::string> remarks;
  if (manifest_.is_edited_record)
    remarks.push_back(manifest_.file + " " + std::string(words_for(RecordState::edited)) +
                      " it is taken as a new manifest: a recorded hash is expected only of a stage that still has its recorded key");
  if (manifest_.gates.empty()) remarks.emplace_back(no_gates_remark);
  try {
    RunRecord::load(run_);
  } catch (const ContractError& error) {
    remarks.emplace_back(error.what());
  }
  return remarks;
}

std::optional<std::string> RunPlanner::disk_shortage_of(const Plan& plan) const {
  const DiskPlace store = disk_place(store_.root()), run = disk_place(run_);
  DiskRoom room{store_.root().string(), run_.string(), store.free_bytes, run.free_bytes, store.file_system == run.file_system, 0};
  for (const char* part : {"checkpoints", "work"}) room.run_bytes_already += bytes_below(run_ / part);
  return disk_shortage(plan.disk(), room);
}

void print_remarks(const RunPlanner& planner) {
  for (const std::string& remark : planner.remarks()) print_error(remark);
}

std::optional<std::string> crowding_of(const Invocation& invocation, int cores) {
  if (invocation.threads <= 1 || std::int64_t{invocation.ranks} * invocation.threads <= cores) return std::nullopt;
  return counted(invocation.ranks, "rank") + " x " + counted(invocation.threads, "thread") + " on " + counted(cores, "core") +
         " (each waits for all others, so it can go many times slower than with fewer; results are the same) leave out --threads: the cores are "
         "shared out";
}

void print_disk_shortage(const RunPlanner& planner, const Plan& plan) {
  if (const auto shortage = planner.disk_shortage_of(plan)) print_error(*shortage);
}

std::string RunPlanner::headline() const {
  const Plan plan = this->plan().plan;
  std::size_t there = 0;
  for (const PlannedStage& stage : plan.stages) there += stage.output.has_value();
  return plan.name + ": " + counted(static_cast<std::int64_t>(plan.stages.size()), "stage") +
         (there > 0 ? ", " + std::to_string(there) + " of them there already" : "") + "; about " + duration_text(plan.wall_s()) + " on " +
         counted(plan.ranks, "rank") + " x " + counted(plan.threads_per_rank, "thread") + ", " + usd_text(plan.cost_usd());
}

}   // namespace lastro
