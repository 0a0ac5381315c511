#include "app/conclude.h"

#include <algorithm>
#include <cstdio>

#include "app/run_access.h"
#include "app/terminal.h"
#include "core/cost.h"
#include "core/diff.h"
#include "core/files.h"
#include "core/gatekeeper.h"
#include "core/json.h"
#include "domain/errors.h"

namespace lastro {
namespace fs = std::filesystem;
namespace {

void add(Measurements& all, const Node& tree) {
  for (const auto& [name, value] : measurements_of(tree)) all.insert_or_assign(name, value);
}

// The numbers of a report: from the store, whose records are sealed, after its files were hashed again.
void add_report(Measurements& all, const FolderStore& store, const Digest& digest, const std::string& stage) {
  expect_whole(store, digest, stage);
  add(all, store.find_artifact(digest)->summary);
}

// What may differ between equal runs of a stage, such as its yardsticks, stands with its key.
Node measured_beside(const FolderStore& store, const Entry& stage) {
  const Node* key = stage.value.find("key");
  const auto digest = key && key->as<std::string>() ? Digest::parse(key->text()) : std::nullopt;
  if (!digest) return Node::mapping();
  if (const auto made = store.find_key(*digest)) return made->measured;
  throw ContractError("the key of " + stage.key + " is gone from the store (" + store.root().string() + "/keys has no " + digest->hex() +
                          ".json) the same run command makes " + stage.key + " again",
                      stage.key, digest->to_string(), "no key");
}

// What the runs' stages measured: reports last, so that their numbers win over a training stage's of the same name.
Measurements measured_by(const RunRecord& record, const FolderStore& store) {
  Measurements all;
  const Node* stages = record.tree().find("stages");
  for (const bool reports : {false, true}) {
    for (const Entry& stage : stages ? stages->entries() : Node::Mapping{}) {
      const auto digest = record.output_of(stage.key);
      if (!digest) continue;
      const ArtifactRecord artifact = expect_artifact(store, *digest, stage.key);
      if ((artifact.type == ArtifactType::eval_report) != reports) continue;
      if (reports) {
        add_report(all, store, *digest, stage.key);
      } else {
        expect_sizes(store, artifact, stage.key);
        add(all, artifact.summary);
      }
      add(all, measured_beside(store, stage));
    }
  }
  all.insert_or_assign("cost_total_usd", record.total_cost_usd());
  all.insert_or_assign("wall_clock_total_sec", record.total_wall_clock_s());
  return all;
}

Measurements baseline_of(const RunRecord& record, const FolderStore& store) {
  Measurements found;
  const Node* named = record.tree().find("baseline");
  if (!named || !named->as<std::string>()) return found;
  if (const auto digest = Digest::parse(named->text())) {
    if (!store.find_artifact(*digest))
      throw UsageError("baseline " + named->text() + " is not in the store " + store.root().string() +
                       " (a report that was never made there) name another, or --store");
    add_report(found, store, *digest, "");
    return found;
  }
  const Node tree = earlier_run("baseline", named->text());
  if (const Node* stages = tree.find("stages")) {   // another run's record: the numbers of its reports
    for (const Entry& stage : stages->entries())
      if (const Node* metrics = stage.value.find("metrics")) add(found, *metrics);
  } else {
    add(found, tree);
  }
  return found;
}

std::vector<Gate> gates_of(const RunRecord& record) {
  std::vector<Gate> gates;
  Problems problems;
  if (const Node* declared = record.tree().find("gates"))
    for (const Entry& gate : declared->entries())
      if (auto parsed = parse_gate(gate.key, gate.value, std::string(record_file_name), problems)) gates.push_back(*parsed);
  if (!problems.empty()) throw ContractError(problems.front().to_string());
  return gates;
}

// What holds a run whatever its manifest says: a stage that is not done, and evaluation text among the training text.
void add_standing_gates(const RunRecord& record, Measurements& measured, std::vector<Gate>& gates) {
  const auto hold_unless = [&](const std::string& measurement, const char* condition) {
    Problems none;
    const std::vector<Gate> standing{*parse_gate(measurement, Node(condition), "", none)};
    if (judge(standing, measured, {}).answer == Verdict::Answer::hold) gates.push_back(standing.front());
  };
  const auto stated = [&gates](std::string_view measurement) {
    return std::any_of(gates.begin(), gates.end(), [&](const Gate& gate) { return gate.measurement == measurement; });
  };
  std::int64_t unfinished = 0;
  const Node* stages = record.tree().find("stages");
  for (const Entry& stage : stages ? stages->entries() : Node::Mapping{}) unfinished += !record.output_of(stage.key);
  measured.insert_or_assign("unfinished_stages", static_cast<double>(unfinished));
  hold_unless("unfinished_stages", "<= 0");
  if (measured.contains("contamination") && !stated("contamination")) hold_unless("contamination", "<= 0.001");
}

Node to_node(const Verdict& verdict) {
  Node gates = Node::sequence();
  for (const GateOutcome& outcome : verdict.gates) {
    Node gate;
    gate.set("gate", outcome.gate.measurement);
    gate.set("condition", outcome.gate.condition());
    gate.set("value", outcome.value ? Node(*outcome.value) : Node(nullptr));
    gate.set("bound", outcome.bound ? Node(*outcome.bound) : Node(nullptr));
    gate.set("passed", outcome.passed);
    gates.push(std::move(gate));
  }
  Node node;
  node.set("answer", verdict.answer == Verdict::Answer::ship ? "SHIP" : "HOLD");
  node.set("text", verdict.to_string());
  node.set("gates", std::move(gates));
  return node;
}

// The number of a stage that a person looks for first.
std::string key_number(const Node& stage) {
  const Node* metrics = stage.find("metrics");
  for (const char* name : {"bits_per_byte", "loss", "train_tokens", "bytes_per_token", "size"}) {
    const Node* value = metrics ? metrics->find(name) : nullptr;
    if (!value || !value->is_number()) continue;
    char text[64];
    const double number = value->number();
    std::snprintf(text, sizeof text, number >= 1000 ? "%s %.0f" : "%s %.4g", name, number);
    return text;
  }
  return "";
}

void print_table(const RunRecord& record) {
  const Node* stages = record.tree().find("stages");
  std::printf("\n%-14s %-20s %9s %10s  %s\n", "stage", "digest", "time", "cost", "result");
  for (const Entry& stage : stages ? stages->entries() : Node::Mapping{}) {
    const auto digest = record.output_of(stage.key);
    const Node* seconds = stage.value.find("wall_clock_sec");
    const Node* cost = stage.value.find("cost_usd");
    char price[32] = "";
    if (cost && cost->is_number()) std::snprintf(price, sizeof price, "$%.4f", cost->number());
    std::printf("%-14s %-20s %9s %10s  %s\n", stage.key.c_str(), digest ? digest->to_string().substr(0, 19).c_str() : "-",
                seconds && seconds->is_number() ? duration_text(seconds->number()).c_str() : "", price, key_number(stage.value).c_str());
  }
}

void print_gates(const Verdict& verdict) {
  for (const GateOutcome& outcome : verdict.gates) std::printf("%-6s %s\n", outcome.passed ? "pass" : "FAIL", outcome.text.c_str());
}

// Differences from the run that the manifest names as its reference.
void compare_with_reference(RunRecord& record, bool prints) {
  const Node* reference = record.tree().find("reference");
  if (!reference || !reference->as<std::string>()) return;
  const fs::path file = reference->text();
  Node list = Node::sequence();
  for (const Difference& difference : record_differences(earlier_run("reference", file), record.tree())) {
    list.push(difference.to_string());
    if (prints) std::printf("differs from %s: %s\n", file.c_str(), difference.to_string().c_str());
  }
  const Node* before = record.tree().find("differences");
  if (!before || !(*before == list)) record.note("differences", std::move(list));
}

}   // namespace

Verdict judge_run(RunRecord& record, const FolderStore& store) {
  std::vector<Gate> gates = gates_of(record);
  Measurements measured = measured_by(record, store);
  add_standing_gates(record, measured, gates);
  const Verdict verdict = judge(gates, measured, baseline_of(record, store));
  Node entry = to_node(verdict);
  const Node* before = record.tree().find("verdict");
  if (!before || !(*before == entry)) record.verdict(entry);
  return verdict;
}

int conclude(const fs::path& run, const FolderStore& store, const Invocation& invocation) {
  RunRecord record = *RunRecord::load(run);
  const Verdict verdict = judge_run(record, store);
  compare_with_reference(record, !invocation.json);
  if (invocation.json) {
    Node line;
    line.set("run", run.string());
    line.set("stages", record.tree().at("stages"));
    line.set("verdict", *record.tree().find("verdict"));
    if (const Node* differences = record.tree().find("differences")) line.set("differences", *differences);
    print_json(line);
  } else {
    print_table(record);
    std::printf("\n");
    print_gates(verdict);
    std::printf("%s\n", verdict.to_string().c_str());
  }
  return static_cast<int>(verdict.answer == Verdict::Answer::ship ? ExitCode::ok : ExitCode::hold);
}

}   // namespace lastro
