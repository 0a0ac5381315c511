#pragma once

#include "core/stage_registry.h"
#include "train/settings.h"

namespace lastro {

// Trains a decoder from scratch on a dataset. The artifact is the last checkpoint, model.json (its shape and what it was made from) and a copy of
// the tokenizer, so that it can be sampled, scored and exported on its own.
class PretrainStage {
 public:
  static constexpr std::string_view kind = "pretrain";
  static constexpr std::string_view doc = "trains a language model from scratch, sharded over all ranks (ZeRO-3)";
  static constexpr int version = 1;
  using Settings = PretrainSettings;
  struct Inputs {
    Dataset dataset;
    static constexpr std::tuple ports{port("dataset", &Inputs::dataset)};
  };
  using Output = Checkpoint;

  explicit PretrainStage(Settings settings) : settings_(settings) {}
  StageResult run(RunContext& run, const Inputs& inputs) const;

  static void check(const Settings& settings, SettingsCheck& check);
  static Resources resources(const Settings& settings, const PlanFacts& facts);
  static std::vector<Change<Settings>> changes(const Settings& settings);
  static std::vector<Recipe<Settings>> recipes();

 private:
  Settings settings_;
};

}   // namespace lastro
