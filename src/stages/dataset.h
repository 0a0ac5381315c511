#pragma once

#include <string_view>
#include <tuple>

#include "core/stage_registry.h"
#include "data/dataset_settings.h"

namespace lastro {

// Stage 03: text sources become a Dataset, by data/build_dataset.h.
class DatasetStage {
 public:
  static constexpr std::string_view kind = "dataset";
  static constexpr std::string_view doc = "cleans, deduplicates, decontaminates and tokenises text sources; holds a share out";
  static constexpr int version = 3;
  using Settings = DatasetSettings;
  struct Inputs {
    Tokenizer tokenizer;
    Sources text;
    Sources evaluation;
    static constexpr std::tuple ports{port("tokenizer", &Inputs::tokenizer), port("text", &Inputs::text),
                                      optional_port("evaluation", &Inputs::evaluation)};
  };
  using Output = Dataset;

  explicit DatasetStage(Settings settings) : settings_(settings) {}
  StageResult run(RunContext& run, const Inputs& inputs) const;
  static Resources resources(const Settings& settings, const PlanFacts& facts);

 private:
  Settings settings_;
};

}   // namespace lastro
