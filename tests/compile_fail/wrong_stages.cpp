#include "tests/core/toy_stages.h"

// Each `refused:` is what the compiler must say about the lines below it (a regular expression for a part of one line; check.cmake looks for them
// all).
namespace lastro::toy {

// SFT starts from a checkpoint; a policy is not one.
// refused: could not convert 'policy' from .*(Policy|ArtifactType::policy).* to .*(Checkpoint|ArtifactType::checkpoint)
SftStage::Inputs inputs_of_sft(const Policy& policy) { return SftStage::Inputs{policy, Sources{}}; }

// Evaluation takes any model, and a dataset is none.
// refused: could not convert 'dataset' from .*Dataset.* to 'lastro::AnyModel'
EvaluateStage::Inputs inputs_of_evaluate(const Dataset& dataset) { return EvaluateStage::Inputs{dataset, dataset, std::nullopt}; }

// A stage's settings are fixed at construction, so running it must not change it.
// refused: a stage has StageResult run.RunContext&, const Inputs&. const
struct Restless : SftStage {
  using SftStage::SftStage;
  StageResult run(RunContext&, const Inputs&) { return {}; }
};
const StageKind restless = stage_kind<Restless>();

// What is not an artifact has no digest, so nothing could tell whether it changed.
// refused: a stage's input is Artifact<T>, AnyModel, Sources, or an optional artifact
struct Careless : Idle<Policy> {
  using Idle::Idle;
  static constexpr std::string_view kind = "careless";
  static constexpr int version = 1;
  struct Inputs {
    std::string path;
    static constexpr std::tuple ports{port("path", &Inputs::path)};
  };
  StageResult run(RunContext&, const Inputs&) const { return {}; }
};
const StageKind careless = stage_kind<Careless>();

// A port that may be left out has to have a value for "not there".
// refused: an optional port is a std::optional artifact or Sources
constexpr auto never_there = optional_port("base", &SftStage::Inputs::base);

}   // namespace lastro::toy
