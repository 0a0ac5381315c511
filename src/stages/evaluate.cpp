#include "stages/evaluate.h"

#include <fstream>

#include "core/json.h"
#include "data/contamination.h"
#include "domain/errors.h"
#include "eval/held_out.h"
#include "model/flops.h"
#include "stages/dataset.h"
#include "stages/model_weights.h"
#include "stages/pretrain.h"
#include "stages/vocabulary.h"
#include "stages/yardsticks.h"

namespace lastro {
namespace {

void expect_same_tokenizer(const ModelFiles& model, const DatasetLayout& dataset) {
  if (model.tokenizer == dataset.tokenizer) return;
  throw ContractError(
      "the model and the dataset have different tokenizers (token ids would mean other text) evaluate on a dataset made with the model's tokenizer",
      "tokenizer", model.tokenizer.to_string(), dataset.tokenizer.to_string());
}

Node to_node(const HeldOutScore& score) {
  Node node;
  node.set("bits_per_byte", score.bits_per_byte);
  node.set("bits_per_byte_stderr", score.standard_error);
  node.set("nats_per_token", score.nats_per_token);
  node.set("perplexity", score.perplexity);
  node.set("held_out_tokens", score.tokens);
  node.set("held_out_bytes", score.bytes);
  return node;
}

Node to_node(const Contamination& contamination) {
  Node sets = Node::sequence();
  for (const Contamination::Set& set : contamination.sets) {
    Node entry;
    entry.set("source", set.source);
    entry.set("items", set.items);
    entry.set("contaminated", set.contaminated);
    sets.push(std::move(entry));
  }
  return sets;
}

Node to_node(const Yardsticks& yardsticks) {
  Node node = Node::mapping();
  if (yardsticks.xz_bits_per_byte) node.set("xz", *yardsticks.xz_bits_per_byte);
  if (yardsticks.ngram_bits_per_byte) node.set("ngram5", *yardsticks.ngram_bits_per_byte);
  return node;
}

}   // namespace

StageResult EvaluateStage::run(RunContext& run, const Inputs& inputs) const {
  const DatasetLayout layout = read_dataset_layout(inputs.dataset.folder());
  const LoadedModel model(inputs.model.folder());
  expect_same_tokenizer(model.files(), layout);
  const BpeTokenizer tokenizer = BpeTokenizer::load(inputs.model.folder() / "tokenizer");
  const TokenRow held = read_row(inputs.dataset.folder(), layout, Split::held_out, settings_.most_tokens);
  if (held.size() < 2) throw ContractError("the dataset has no held-out text (nothing can be measured) set held_out above 0 in the dataset stage");

  const std::vector<Window> windows = windows_over(static_cast<std::int64_t>(held.size()), model.shape().context, settings_.overlap);
  const HeldOutScore score = score_of(score_row(held, windows, model.shape(), model.weights(), tokenizer, run.ranks, run.workers, run.tracker));
  const Contamination contamination = measure_contamination(inputs.dataset.folder(), run.ranks, run.memory_limit_bytes);

  StageResult result;
  result.summary = to_node(score);
  result.summary.set("contamination", contamination.share());
  result.summary.set("contaminated_items", contamination.contaminated());
  if (run.ranks.is_root()) {
    Node report = result.summary;
    report.set("contamination_sets", to_node(contamination));
    std::ofstream file(run.output / "report.json", std::ios::binary);
    if (!(file << to_json_pretty(report) << '\n').flush())
      throw EnvironmentError((run.output / "report.json").string() + " cannot be written (is the disk full?)");
    run.tracker.event("measures xz and a 5-gram model on the same text");
    result.measured = to_node(
        measure_yardsticks(inputs.dataset.folder(), layout, tokenizer,
                           {.xz_bytes = settings_.xz_bytes, .ngram_tokens = settings_.ngram_tokens, .held_out_tokens = settings_.most_tokens}));
  }
  run.ranks.barrier();
  return result;
}

void EvaluateStage::check_input(std::string_view port, std::string_view kind, const Node& settings, SettingsCheck& check) {
  if (port == "dataset" && kind == DatasetStage::kind && settings_from<DatasetSettings>(settings).held_out <= 0)
    check.refuse("held_out", "must be above 0: an evaluate stage measures the model on the text that is held out of training");
}

Resources EvaluateStage::resources(const Settings&, const PlanFacts& facts) {
  const UpstreamStage* trained = facts.find(PretrainStage::kind);
  if (!trained) return {};
  ModelShape shape = settings_from<PretrainSettings>(trained->settings).model;
  const UpstreamStage* vocabulary = facts.find(VocabularyStage::kind);
  shape = complete(shape, vocabulary ? vocabulary->settings.at("size").integer() : VocabularySettings{}.size);
  Resources resources;
  resources.memory_per_rank.push_back({"weights", model_bytes(shape)});   // every rank reads the whole model
  return resources;
}

}   // namespace lastro
