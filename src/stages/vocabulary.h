#pragma once

#include "core/documents.h"
#include "core/stage_registry.h"
#include "data/dataset_settings.h"

namespace lastro {

struct VocabularySettings {
  std::int64_t size = 2048;
  std::vector<std::int64_t> smaller_sizes;
  std::vector<std::string> special_tokens;
  std::int64_t sample_bytes = 0;
  double malformed = DatasetSettings{}.malformed;   // what is too many for the dataset need not be counted first
  static constexpr std::tuple fields{
      field("size", &VocabularySettings::size,
            {.doc = "tokens, special ones and the 256 bytes included", .unit = "tokens", .min = 264, .max = 4194304}),
      field("smaller_sizes", &VocabularySettings::smaller_sizes,
            {.doc = "further vocabularies from the same training; each is the first ids of the next", .unit = "tokens", .min = 264, .max = 4194304}),
      field("special_tokens", &VocabularySettings::special_tokens,
            {.doc = "special tokens besides the standard ones, of the form <|name|>; never made from text"}),
      field("sample_bytes", &VocabularySettings::sample_bytes,
            {.doc = "how much text to count, shared among the sources by weight; 0: as much as they have", .unit = "bytes", .min = 0}),
      field("malformed", &VocabularySettings::malformed,
            {.doc = "share of a source's rows that may be malformed (ten may in any case); more stop the stage",
             .min = 0.0,
             .max = 1.0,
             .bears = Bears::nothing}),
  };
};

// Stage 01. Counts the pre-tokens of a balanced sample of the sources, over all ranks and threads, and says how many tokens are wanted.
class VocabularyStage {
 public:
  static constexpr std::string_view kind = "vocabulary";
  static constexpr std::string_view doc = "counts the pre-tokens of a balanced sample of the text";
  static constexpr int version = 1;
  using Settings = VocabularySettings;
  struct Inputs {
    Sources text;
    static constexpr std::tuple ports{port("text", &Inputs::text)};
  };
  using Output = Vocabulary;

  explicit VocabularyStage(Settings settings) : settings_(std::move(settings)) {}
  StageResult run(RunContext& run, const Inputs& inputs) const;
  // The same on documents that are at hand.
  StageResult run_on(RunContext& run, const DocumentStream& documents, const Sources& sources) const;

  static void check(const Settings& settings, SettingsCheck& check);
  static Resources resources(const Settings& settings, const PlanFacts& facts);

 private:
  Settings settings_;
};

}   // namespace lastro
