#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/commands.h"
#include "app/run_access.h"
#include "app/terminal.h"
#include "app/wiring.h"
#include "core/checkpoint_reader.h"
#include "core/text_of_number.h"
#include "data/sampler.h"
#include "domain/errors.h"
#include "infra/torch/torch_module.h"
#include "model/leaf_pass.h"
#include "model/tensors.h"
#include "stages/model_files.h"
#include "train/progress.h"
#include "train/settings.h"

namespace lastro {
namespace fs = std::filesystem;
namespace {

// Largest difference allowed, relative to the largest element of a tensor's gradient in fp64: fp32 rounding gives some 1e-6.
constexpr double tolerance = 2e-5;

// The training stage that made the run's model, and what it was told.
struct AuditedStage {
  std::string name;
  Node record;
  PretrainSettings settings;
};

AuditedStage training_stage(const OpenedRun& run) {
  const FoundArtifact model = newest_model(run);
  const Node& record = *run.record.stage(model.stage);
  return {model.stage, record, settings_from<PretrainSettings>(record.at("settings"))};
}

fs::path checkpoint_of(const OpenedRun& run, const Invocation& invocation) {
  if (!invocation.step) return newest_model(run).folder;
  char name[32];
  std::snprintf(name, sizeof name, "step-%06lld", static_cast<long long>(*invocation.step));
  const fs::path folder = run.folder / "checkpoints" / name;
  if (fs::exists(folder / "index.json")) return folder;
  const FoundArtifact model = newest_model(run);
  if (CheckpointReader(model.folder).step().value == *invocation.step) return model.folder;
  std::string there;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(run.folder / "checkpoints", none)) there += " " + entry.path().filename().string();
  throw UsageError("step " + std::to_string(*invocation.step) + " is not saved any more (there are:" + (there.empty() ? " none" : there) +
                   ") name one of these with --step");
}

struct LeafTokens {
  LeafShape shape;
  std::vector<TokenId> inputs;
  std::vector<TokenId> targets;
};

LeafTokens leaf_of(const Sampler& sampler, const PretrainSettings& settings, const ModelShape& shape, std::int64_t data_step, std::int64_t leaf) {
  LeafTokens tokens{{settings.batch.sequences_per_leaf, shape.context}, {}, {}};
  std::vector<TokenId> row(shape.context + 1);
  for (std::int64_t i = 0; i < settings.batch.sequences_per_leaf; ++i) {
    sampler.sequence((data_step * settings.batch.leaves + leaf) * settings.batch.sequences_per_leaf + i, row);
    tokens.inputs.insert(tokens.inputs.end(), row.begin(), row.end() - 1);
    tokens.targets.insert(tokens.targets.end(), row.begin() + 1, row.end());
  }
  return tokens;
}

struct OwnAnswer {
  double loss = 0;
  std::vector<std::vector<float>> gradients;
};

// The gradient that training computes for this leaf, by the code that trains.
OwnAnswer own_answer(const ModelShape& shape, const ModelWeights& weights, const LeafTokens& leaf, std::span<const float> loss_weights,
                     Workers& workers) {
  LeafPass pass(shape, leaf.shape, Keep::everything, workers);
  const int head = head_unit(shape);
  OwnAnswer answer;
  for (const auto& unit : weights) answer.gradients.emplace_back(unit.size());
  const std::span<const float> tied = shape.tied ? weights[embedding_unit()] : std::span<const float>{};
  std::vector<float> log_probs(leaf.inputs.size());

  pass.embed(weights[embedding_unit()], leaf.inputs);
  for (int layer = 0; layer < shape.layers; ++layer) pass.forward_block(layer, weights[block_unit(layer)]);
  answer.loss = pass.loss({weights[head], tied}, leaf.targets, loss_weights, log_probs, answer.gradients[head]);
  for (int layer = static_cast<int>(shape.layers) - 1; layer >= 0; --layer)
    pass.backward_block(layer, weights[block_unit(layer)], answer.gradients[block_unit(layer)]);
  pass.backward_embedding(tied, answer.gradients[embedding_unit()]);
  return answer;
}

struct TensorDifference {
  std::string tensor;
  double relative = 0;   // largest difference over the largest element of the oracle's gradient
};

std::vector<TensorDifference> differences(const ModelShape& shape, const OwnAnswer& own, const Oracle::Answer& second) {
  std::vector<TensorDifference> all;
  const auto units = unit_tensors(shape);
  for (std::size_t unit = 0; unit < units.size(); ++unit)
    for (const NamedTensor& tensor : units[unit].tensors) {
      double largest = 0, difference = 0;
      for (std::int64_t i = tensor.interval().begin; i < tensor.interval().end; ++i) {
        const double wanted = second.gradients[unit][i], found = own.gradients[unit][i];
        largest = std::max(largest, std::fabs(wanted));
        difference = std::isfinite(found) ? std::max(difference, std::fabs(found - wanted)) : HUGE_VAL;
      }
      all.push_back({tensor.name, largest > 0 ? difference / largest : difference});
    }
  std::stable_sort(all.begin(), all.end(), [](const TensorDifference& a, const TensorDifference& b) { return a.relative > b.relative; });
  return all;
}

// What a leaf's gradients came out as, twice.
struct Audited {
  std::string stage;
  std::int64_t step;
  std::int64_t leaf;
  std::string oracle;
  double loss;
  double oracle_loss;
  std::vector<TensorDifference> tensors;   // the largest first

  bool agrees() const { return tensors.front().relative <= tolerance && std::fabs(loss - oracle_loss) <= tolerance * std::fabs(oracle_loss); }
};

Audited audit(const OpenedRun& run, const Invocation& invocation) {
  const AuditedStage stage = training_stage(run);
  const ModelFiles files = read_model_files(newest_model(run).folder);
  if (invocation.leaf < 0 || invocation.leaf >= stage.settings.batch.leaves)
    throw UsageError("--leaf " + std::to_string(invocation.leaf) + " is not in the batch (a step has leaves 0 to " +
                     std::to_string(stage.settings.batch.leaves - 1) + ")");
  const CheckpointReader state(checkpoint_of(run, invocation));
  std::vector<std::vector<float>> units;
  for (const StateLayout::Unit& unit : state.layout().units) state.read("weights", unit.name, units.emplace_back(unit.elements));
  const ModelWeights weights(units.begin(), units.end());

  TrainProgress progress(stage.settings.guard);
  progress.from_node(state.scalars());
  const std::int64_t data_step = data_step_of(state.step().value, progress.roll_backs);
  const Sampler sampler(run.store.folder_of(files.dataset),
                        {.context = files.shape.context, .seed = static_cast<std::uint64_t>(run.record.tree().at("seed").integer())});
  const LeafTokens leaf = leaf_of(sampler, stage.settings, files.shape, data_step, invocation.leaf);
  const std::vector<float> loss_weights(leaf.targets.size(), 1.0f / static_cast<float>(leaf.targets.size()));

  const std::unique_ptr<Oracle> oracle = load_torch_oracle();
  const auto workers = make_workers(threads_of(invocation));
  const OwnAnswer own = own_answer(files.shape, weights, leaf, loss_weights, *workers);
  const Oracle::Answer second = oracle->judge(files.shape, weights, {leaf.shape, leaf.inputs, leaf.targets, loss_weights}, Oracle::Precision::fp64);
  return {stage.name, state.step().value, invocation.leaf, oracle->name(), own.loss, second.loss, differences(files.shape, own, second)};
}

Node to_node(const Audited& audited) {
  Node tensors = Node::mapping();
  for (const TensorDifference& difference : audited.tensors) tensors.set(difference.tensor, difference.relative);
  Node node;
  node.set("step", audited.step);
  node.set("leaf", audited.leaf);
  node.set("oracle", audited.oracle);
  node.set("loss", audited.loss);
  node.set("oracle_loss", audited.oracle_loss);
  node.set("tolerance", tolerance);
  node.set("relative_differences", std::move(tensors));
  node.set("agrees", audited.agrees());
  return node;
}

void print(const Audited& audited) {
  std::printf("step %lld, leaf %lld of %s against %s in fp64 (largest difference over largest element of each gradient)\n",
              static_cast<long long>(audited.step), static_cast<long long>(audited.leaf), audited.stage.c_str(), audited.oracle.c_str());
  std::printf("%-48s %.9g against %.9g\n", "loss", audited.loss, audited.oracle_loss);
  for (std::size_t i = 0; i < std::min<std::size_t>(8, audited.tensors.size()); ++i)
    std::printf("%-48s %.2e\n", audited.tensors[i].tensor.c_str(), audited.tensors[i].relative);
  std::printf("%s, %s %.0e\n", counted(static_cast<std::int64_t>(audited.tensors.size()), "tensor").c_str(),
              audited.agrees() ? "all within" : "NOT all within", tolerance);
}

}   // namespace

int audit_command(const Invocation& invocation) {
  const Audited audited = audit(open_run(invocation), invocation);
  if (invocation.json)
    print_json(to_node(audited));
  else
    print(audited);
  return static_cast<int>(audited.agrees() ? ExitCode::ok : ExitCode::contract);
}

}   // namespace lastro
