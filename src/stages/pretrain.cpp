#include "stages/pretrain.h"

#include <algorithm>

#include "core/hash.h"
#include "core/text_of_number.h"
#include "data/sampler.h"
#include "domain/errors.h"
#include "model/flops.h"
#include "stages/model_files.h"
#include "stages/model_weights.h"
#include "stages/vocabulary.h"
#include "train/memory_plan.h"
#include "train/trainer.h"

namespace lastro {
namespace {

// A step's samples, cut into leaves in order.
class SampledLeaves final : public LeafSource {
 public:
  SampledLeaves(const Sequences& sequences, const BatchSettings& batch, std::int64_t context)
      : sequences_(sequences), batch_(batch), row_(context + 1) {}

  void leaf(std::int64_t data_step, std::int64_t leaf, std::span<TokenId> tokens) override {
    const std::int64_t first = (data_step * batch_.leaves + leaf) * batch_.sequences_per_leaf;
    for (std::int64_t i = 0; i < batch_.sequences_per_leaf; ++i) sequences_.sequence(first + i, tokens.subspan(i * row_, row_));
  }

 private:
  const Sequences& sequences_;
  BatchSettings batch_;
  std::int64_t row_;
};

// The vocabulary that the tokenizer upstream will have at most; a plan knows no more before it is made.
std::int64_t planned_vocabulary(const PretrainSettings& settings, const PlanFacts& facts) {
  if (settings.model.vocabulary > 0) return settings.model.vocabulary;
  const UpstreamStage* vocabulary = facts.find(VocabularyStage::kind);
  return vocabulary ? vocabulary->settings.at("size").integer() : VocabularySettings{}.size;
}

}   // namespace

StageResult PretrainStage::run(RunContext& run, const Inputs& inputs) const {
  const DatasetLayout layout = read_dataset_layout(inputs.dataset.folder());
  const ModelShape model = complete(settings_.model, layout.vocabulary_size);
  const Sampler sampler(inputs.dataset.folder(), {.context = model.context, .seed = run.seed});
  SampledLeaves leaves(sampler, settings_.batch, model.context);

  StageResult result = train(run, settings_, model, leaves);

  if (run.ranks.is_root()) write_model_files(run.output, {model, layout.tokenizer, inputs.dataset.digest()}, inputs.dataset.folder() / "tokenizer");
  run.ranks.barrier();
  result.content = model_content(*result.content, sha256_file(run.output / "model.json"));
  return result;
}

void PretrainStage::check(const Settings& settings, SettingsCheck& check) {
  for (const CrossProblem& problem : cross_problems(settings)) check.refuse(problem);
}

Resources PretrainStage::resources(const Settings& settings, const PlanFacts& facts) {
  if (facts.ranks > settings.batch.leaves)
    throw UsageError(counted(facts.ranks, "rank") + " for batch.leaves=" + std::to_string(settings.batch.leaves) +
                     " (a leaf belongs to one rank, so some would have nothing to do) use at most as many ranks as leaves, or raise batch.leaves");
  const ModelShape model = complete(settings.model, planned_vocabulary(settings, facts));
  const EngineShape shape = fit_memory(settings, model, facts.ranks, facts.threads_per_rank, facts.memory_limit_bytes);
  Resources resources;
  for (const MemoryLine& line : lines_of(largest_memory_plan(shape, facts.ranks, facts.threads_per_rank)))
    resources.memory_per_rank.push_back({std::string(line.name), line.bytes});
  const std::int64_t state = 3 * model_bytes(model);
  const std::int64_t every = settings.checkpoint.every_steps > 0 ? settings.checkpoint.every_steps : settings.steps;
  const std::int64_t saves = std::min((settings.steps + every - 1) / every, settings.checkpoint.keep + 1);
  resources.disk = {{"checkpoints", DiskShare::Place::run, saves * state}, {"checkpoint", DiskShare::Place::linked, state}};
  const std::int64_t leaves = settings.steps * settings.batch.leaves;
  const std::int64_t tokens = leaves * settings.batch.sequences_per_leaf * model.context;
  resources.flops_6nd = static_cast<double>(six_n_d(model, tokens));
  resources.flops = static_cast<double>(leaves) * static_cast<double>(leaf_flops(model, shape.leaf, shape.keep).total());
  return resources;
}

std::vector<Change<PretrainSettings>> PretrainStage::changes(const Settings& settings) {
  std::vector<Change<Settings>> changes;
  if (settings.recompute != Recompute::blocks) {
    Settings smaller = settings;
    smaller.recompute = Recompute::blocks;
    changes.push_back({"settings.recompute: blocks", smaller});
  }
  if (settings.batch.sequences_per_leaf > 1) {
    Settings smaller = settings;
    smaller.batch.sequences_per_leaf = (settings.batch.sequences_per_leaf + 1) / 2;
    changes.push_back({"settings.batch.sequences_per_leaf: " + std::to_string(smaller.batch.sequences_per_leaf), smaller});
  }
  if (settings.steps > 1) {
    Settings shorter = settings;
    shorter.steps = settings.steps / 2;
    changes.push_back({"settings.steps: " + std::to_string(shorter.steps), shorter});
  }
  return changes;
}

std::vector<Recipe<PretrainSettings>> PretrainStage::recipes() {
  Settings tiny;
  tiny.model = {.width = 64, .layers = 2, .heads = 2, .kv_heads = 1, .ffn = 176, .context = 64};
  tiny.batch = {.leaves = 4, .sequences_per_leaf = 4};
  tiny.steps = 200;
  Settings small;
  small.model = {.width = 256, .layers = 6, .heads = 4, .kv_heads = 2, .ffn = 704, .context = 256};
  Settings hundred_million;
  hundred_million.model = {.width = 768, .layers = 12, .heads = 12, .kv_heads = 4, .ffn = 2048, .context = 1024};
  hundred_million.batch = {.leaves = 64, .sequences_per_leaf = 4};
  hundred_million.steps = 10000;
  hundred_million.optimizer.lr = 6e-4;
  hundred_million.optimizer.warmup_steps = 200;
  return {{"tiny", "a model for tests: seconds on a laptop core", tiny},
          {"small", "a few million parameters: minutes on a laptop", small},
          {"hundred-million", "about 100 M parameters: a machine with several devices", hundred_million}};
}

}   // namespace lastro
