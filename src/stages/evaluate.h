#pragma once

#include <array>
#include <string_view>

#include "core/stage_registry.h"

namespace lastro {

struct EvaluateSettings {
  double overlap = 0.5;
  std::int64_t most_tokens = 4'000'000;
  std::int64_t ngram_tokens = 4'000'000;
  std::int64_t xz_bytes = 64'000'000;
  bool operator==(const EvaluateSettings&) const = default;
  static constexpr std::tuple fields{
      field("overlap", &EvaluateSettings::overlap,
            {.doc = "share of the context that each scored token has before it at least; 0 is fastest, 0.5 costs twice as much",
             .min = 0.0,
             .max = 0.95}),
      field("most_tokens", &EvaluateSettings::most_tokens,
            {.doc = "held-out tokens that are scored at most, from the first on", .unit = "tokens", .min = 1}),
      field("ngram_tokens", &EvaluateSettings::ngram_tokens,
            {.doc = "training tokens, the last ones, that the 5-gram model learns from; 0: none is built", .unit = "tokens", .min = 0}),
      field("xz_bytes", &EvaluateSettings::xz_bytes,
            {.doc = "training text, its last part, that xz sees before the held-out text (its window is 64 MiB); 0: xz is not run",
             .unit = "bytes",
             .min = 0})};
};

// Measures a model on the dataset's held-out text. The report (report.json) has bits per byte with its standard error, perplexity and the
// contamination that the shards show; xz's and a 5-gram model's bits per byte on the same text are measured beside it and stay out of the digest.
class EvaluateStage {
 public:
  static constexpr std::string_view kind = "evaluate";
  static constexpr std::string_view doc = "measures a model on held-out text, and how much of the evaluation sets its training text holds";
  static constexpr int version = 1;
  using Settings = EvaluateSettings;
  struct Inputs {
    AnyModel model;
    Dataset dataset;
    static constexpr std::tuple ports{port("model", &Inputs::model), port("dataset", &Inputs::dataset)};
  };
  using Output = EvalReport;
  // What gates may ask of it; xz and ngram5 are bits per byte on the same text, measured beside the report.
  static constexpr std::array measurements{
      std::string_view("bits_per_byte"),   std::string_view("bits_per_byte_stderr"), std::string_view("nats_per_token"),
      std::string_view("perplexity"),      std::string_view("contamination"),        std::string_view("contaminated_items"),
      std::string_view("held_out_tokens"), std::string_view("held_out_bytes"),       std::string_view("xz"),
      std::string_view("ngram5")};

  explicit EvaluateStage(Settings settings) : settings_(settings) {}
  StageResult run(RunContext& run, const Inputs& inputs) const;
  static void check_input(std::string_view port, std::string_view kind, const Node& settings, SettingsCheck& check);
  static Resources resources(const Settings& settings, const PlanFacts& facts);
  static std::vector<Change<Settings>> changes(const Settings& settings);

 private:
  Settings settings_;
};

}   // namespace lastro
