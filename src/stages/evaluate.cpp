#include "stages/evaluate.h"

#include <algorithm>
#include <cmath>

#include "core/json.h"
#include "core/xz.h"
#include "data/contamination.h"
#include "data/together.h"
#include "domain/errors.h"
#include "eval/held_out.h"
#include "eval/ngram.h"
#include "model/flops.h"
#include "model/leaf_pass.h"
#include "stages/dataset.h"
#include "stages/model_weights.h"
#include "stages/pretrain.h"
#include "stages/vocabulary.h"
#include "stages/yardsticks.h"
#include "text/text_file.h"

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

// Rates that a plan counts with; measured on a core of an AMD EPYC 7003.
constexpr double bytes_a_token = 3;
constexpr double contamination_bytes_a_second = 20e6;
constexpr double xz_bytes_a_second = 1e6;
constexpr double ngram_tokens_a_second = 1e6;

// What the dataset upstream holds; until it is made, by the size of its sources.
struct ExpectedText {
  double training_bytes = 0;
  double training_tokens = 0;
  double held_out_bytes = 0;
};
ExpectedText expected_text(const PlanFacts& facts) {
  const UpstreamStage* dataset = facts.find(DatasetStage::kind);
  if (!dataset) return {};
  if (const auto& made = dataset->summary)
    return {made->at("text_bytes").number(), made->at("tokens").number(), made->at("held_out_text_bytes").number()};
  const auto bytes = static_cast<double>(dataset->source_bytes);
  const double held_out = settings_from<DatasetSettings>(dataset->settings).held_out;
  return {bytes * (1 - held_out), bytes * (1 - held_out) / bytes_a_token, bytes * held_out};
}

// The longer of the two texts that xz sees; 0: it sees none.
double xz_bytes(const EvaluateSettings& settings, const ExpectedText& text) {
  return settings.xz_bytes > 0 ? std::min(static_cast<double>(settings.xz_bytes), text.training_bytes) + text.held_out_bytes : 0;
}

// xz and the 5-gram model work on rank 0 while the others wait.
double yardstick_seconds(const EvaluateSettings& settings, const ExpectedText& text) {
  const double tokens = std::min(static_cast<double>(settings.ngram_tokens), text.training_tokens);
  return 2 * xz_bytes(settings, text) / xz_bytes_a_second + tokens / ngram_tokens_a_second;
}

// On rank 0, one after the other: the n-gram model, then xz.
std::int64_t yardstick_memory_bytes(const EvaluateSettings& settings, const ExpectedText& text) {
  const auto tokens = static_cast<std::int64_t>(text.training_tokens), xz = static_cast<std::int64_t>(xz_bytes(settings, text));
  const std::int64_t row = std::min(std::max(settings.xz_bytes, settings.ngram_tokens), tokens) * std::int64_t{sizeof(TokenId)};
  return std::max(row + NgramModel::memory_bytes(std::min(settings.ngram_tokens, tokens)), xz > 0 ? xz + XzLength::memory_bytes(xz) : 0);
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
  const auto is_asked_to_stop = [&run] { return run.is_asked_to_stop(); };
  const std::vector<ScoredWindow> scored = score_row(held, windows, model.shape(), model.weights(), tokenizer, run);
  const Contamination contamination = measure_contamination(inputs.dataset.folder(), run.ranks, run.memory_limit_bytes, is_asked_to_stop);
  together(run, [] {});   // all stop where one was asked to
  const HeldOutScore score = score_of(scored);

  StageResult result;
  result.summary = to_node(score);
  result.summary.set("contamination", contamination.share());
  result.summary.set("contaminated_items", contamination.contaminated());
  if (run.ranks.is_root()) {
    Node report = result.summary;
    report.set("contamination_sets", to_node(contamination));
    write_text_file(run.output / "report.json", to_json_pretty(report) + "\n");
    run.tracker.event("measures xz and a 5-gram model on the same text");
    const YardstickLimits limits{.xz_bytes = settings_.xz_bytes, .ngram_tokens = settings_.ngram_tokens, .held_out_tokens = settings_.most_tokens};
    result.measured = to_node(measure_yardsticks(inputs.dataset.folder(), layout, tokenizer, limits, is_asked_to_stop));
  }
  together(run, [] {});
  return result;
}

void EvaluateStage::check_input(std::string_view port, std::string_view kind, const Node& settings, SettingsCheck& check) {
  if (port == "dataset" && kind == DatasetStage::kind && settings_from<DatasetSettings>(settings).held_out <= 0)
    check.refuse("held_out", "must be above 0: an evaluate stage measures the model on the text that is held out of training");
}

Resources EvaluateStage::resources(const Settings& settings, const PlanFacts& facts) {
  const UpstreamStage* trained = facts.find(PretrainStage::kind);
  if (!trained) return {};
  ModelShape shape = settings_from<PretrainSettings>(trained->settings).model;
  const UpstreamStage* vocabulary = facts.find(VocabularyStage::kind);
  shape = complete(shape, vocabulary ? vocabulary->settings.at("size").integer() : VocabularySettings{}.size);
  Resources resources;
  const ExpectedText text = expected_text(facts);
  const std::int64_t tokens = std::min(settings.most_tokens, static_cast<std::int64_t>(text.held_out_bytes / bytes_a_token));
  const LeafShape window{.sequences = 1, .tokens = shape.context};
  resources.memory_per_rank = {{"weights", model_bytes(shape)},   // every rank reads the whole model
                               {"activations", leaf_pass_bytes(shape, window, Keep::nothing, facts.threads_per_rank).total()},
                               {"held-out text", tokens * std::int64_t{sizeof(TokenId)} + static_cast<std::int64_t>(text.held_out_bytes)},
                               {"yardsticks", yardstick_memory_bytes(settings, text)},
                               program_memory(facts.ranks)};
  const double windows = std::ceil(static_cast<double>(tokens) / (static_cast<double>(shape.context) * (1 - settings.overlap)));
  resources.flops = windows * static_cast<double>(leaf_flops(shape, window, Keep::nothing).forward);
  resources.flops_6nd = static_cast<double>(six_n_d(shape, tokens)) / 3;   // the forward third
  resources.other_device_s = text.training_bytes / contamination_bytes_a_second + yardstick_seconds(settings, text) * facts.ranks;
  return resources;
}

std::vector<Change<EvaluateSettings>> EvaluateStage::changes(const Settings& settings) {
  Settings smaller = settings;
  std::vector<Change<EvaluateSettings>> changes;
  smaller.xz_bytes = 0;
  if (settings.xz_bytes > 0) changes.push_back({"settings.xz_bytes: 0, and no gate that asks for xz", smaller});
  smaller.ngram_tokens = 0;
  if (settings.ngram_tokens > 0) changes.push_back({"settings.xz_bytes: 0 and settings.ngram_tokens: 0, and no gate that asks for them", smaller});
  return changes;
}

}   // namespace lastro
