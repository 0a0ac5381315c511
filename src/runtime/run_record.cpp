#include "runtime/run_record.h"

#include "core/files.h"
#include "core/record_keys.h"
#include "core/record_text.h"
#include "core/yaml.h"
#include "domain/errors.h"

namespace lastro {
namespace fs = std::filesystem;
namespace {

// The manifest inside a record.
Node manifest_of(const Node& record) {
  Node manifest = record.without(recorded_run_keys);
  Node stages = Node::mapping();
  if (const Node* recorded = record.find("stages"))
    for (const Entry& stage : recorded->entries()) stages.set(stage.key, stage.value.without(recorded_stage_keys));
  manifest.set("stages", std::move(stages));
  return manifest;
}

Node parse(const std::string& text, const fs::path& file) {
  Problems problems;
  Node tree = parse_yaml(text, file.string(), problems);
  if (!problems.empty()) throw ContractError(problems.front().to_string());
  return tree.without(std::array{record_head_key, record_seal_key});
}

Node parse_whole(const std::string& text, const fs::path& file) {
  const RecordState state = state_of_record(text);
  if (state == RecordState::whole) return parse(text, file);
  throw ContractError(file.string() + " " + std::string(words_for(state)) +
                      " run the manifest again: its record is made anew of what the store has, and this one is kept in history");
}

void keep_in_history(const fs::path& run) {
  make_folders(run / "history");
  int number = 1;
  const auto name = [&] { return run / "history" / ("manifest.out-" + std::to_string(number) + ".yaml"); };
  while (fs::exists(name())) ++number;
  write_file(name(), read_file(record_file(run)));
}

double sum_over_stages(const Node& record, std::string_view key) {
  double total = 0;
  if (const Node* stages = record.find("stages"))
    for (const Entry& stage : stages->entries())
      if (const Node* value = stage.value.find(key); value && value->is_number()) total += value->number();
  return total;
}

}   // namespace

std::optional<RunRecord> RunRecord::load(const fs::path& run) {
  if (!fs::exists(record_file(run))) return std::nullopt;
  return RunRecord(run, parse_whole(read_file(record_file(run)), record_file(run)));
}

Node RunRecord::read(const fs::path& file) {
  const std::string text = read_file(file);
  if (state_of_record(text) != RecordState::none) return parse_whole(text, file);
  Node tree = parse(text, file);
  if (!tree.find("stages")) throw ContractError(file.string() + " " + std::string(words_for(RecordState::none)) + " name a run directory");
  return tree;
}

std::vector<Node> RunRecord::history(const fs::path& run) {
  std::vector<Node> records;
  if (!fs::exists(run / "history")) return records;
  for (const auto& entry : fs::directory_iterator(run / "history")) {
    if (entry.path().extension() != ".yaml") continue;
    const std::string text = read_file(entry.path());
    if (const RecordState state = state_of_record(text); state != RecordState::whole)
      throw ContractError(entry.path().string() + " " + std::string(words_for(state)) + " what it names is unknown: delete it to go on without it");
    records.push_back(parse(text, entry.path()));
  }
  return records;
}

RunRecord RunRecord::begin(const fs::path& run, const Node& manifest) {
  make_folders(run);
  std::optional<RunRecord> earlier;
  try {
    earlier = load(run);
  } catch (const ContractError&) {
    keep_in_history(run);
  }
  if (earlier && manifest_of(earlier->tree_) == manifest) return *earlier;
  if (earlier) keep_in_history(run);
  RunRecord record(run, manifest);
  record.save();
  return record;
}

const Node* RunRecord::stage(std::string_view name) const {
  const Node* stages = tree_.find("stages");
  return stages ? stages->find(name) : nullptr;
}

std::optional<Digest> RunRecord::output_of(std::string_view name) const {
  const Node* entry = stage(name);
  const Node* output = entry ? entry->find("output_hash") : nullptr;
  return output && output->as<std::string>() ? Digest::parse(output->text()) : std::nullopt;
}

std::optional<std::string> RunRecord::running_stage() const {
  const Node* stages = tree_.find("stages");
  if (!stages) return std::nullopt;
  for (const Entry& entry : stages->entries()) {
    const Node* status = entry.value.find("status");
    if (status && *status == Node("running")) return entry.key;
  }
  return std::nullopt;
}

Node& RunRecord::stage_entry(const std::string& name) {
  tree_ = tree_.without(std::array<std::string_view, 2>{"verdict", "differences"});
  Node stages = tree_.at("stages");
  Node entry = stages.find(name) ? stages.at(name).without(recorded_stage_keys) : Node::mapping();
  stages.set(name, std::move(entry));
  return tree_.set("stages", std::move(stages)).set(name, tree_.at("stages").at(name));
}

void RunRecord::stage_begins(const std::string& stage, const std::vector<std::string>& dependants) {
  Node names = Node::sequence();
  for (const std::string& name : dependants) names.push(name);
  const double spent = seconds_spent(stage);
  Node& entry = stage_entry(stage);
  entry.set("status", "running");
  if (spent > 0) entry.set("spent_sec", spent);
  entry.set("invalidates", std::move(names));
  save();
}

void RunRecord::stage_interrupted(const std::string& stage, double seconds_so_far) {
  Node& entry = stage_entry(stage);
  entry.set("status", "interrupted");
  entry.set("spent_sec", seconds_so_far);
  save();
}

void RunRecord::stage_done(const StageOutcome& outcome) {
  Node hashes = Node::mapping();
  for (const auto& [port, digest] : outcome.inputs) hashes.set(port, digest.to_string());

  Node& entry = stage_entry(outcome.stage);
  entry.set("status", "done");
  if (!outcome.inputs.empty()) entry.set("input_hash", outcome.inputs.front().second.to_string());
  entry.set("output_hash", outcome.output.to_string());
  entry.set("wall_clock_sec", outcome.wall_clock_s);
  entry.set("cost_usd", outcome.cost_usd);
  entry.set("metrics", outcome.summary);
  if (!outcome.measured.entries().empty()) entry.set("measured", outcome.measured);
  entry.set("input_hashes", std::move(hashes));
  entry.set("key", outcome.key.to_string());
  if (outcome.from_store) entry.set("from_store", true);
  save();
}

void RunRecord::stage_failed(const std::string& stage, const std::string& cause) {
  const Node* before = this->stage(stage);
  const Node* waiting = before ? before->find("invalidates") : nullptr;
  const Node invalidates = waiting ? *waiting : Node::sequence();
  const double spent = seconds_spent(stage);
  Node& entry = stage_entry(stage);
  entry.set("status", "failed");
  entry.set("cause", cause);
  if (spent > 0) entry.set("spent_sec", spent);
  entry.set("invalidates", invalidates);
  save();
}

void RunRecord::stage_rolled_back(const std::string& stage) {
  stage_entry(stage);
  save();
}

double RunRecord::seconds_spent(std::string_view name) const {
  const Node* entry = stage(name);
  const Node* spent = entry ? entry->find("spent_sec") : nullptr;
  return spent && spent->is_number() ? spent->number() : 0;
}

double RunRecord::total_cost_usd() const { return sum_over_stages(tree_, "cost_usd"); }

double RunRecord::total_wall_clock_s() const { return sum_over_stages(tree_, "wall_clock_sec"); }

void RunRecord::verdict(const Node& verdict) { note("verdict", verdict); }

void RunRecord::note(std::string_view key, Node value) {
  tree_.set(key, std::move(value));
  save();
}

void RunRecord::save() const { write_file(record_file(run_), to_record_text(tree_)); }

}   // namespace lastro
