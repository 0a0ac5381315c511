#pragma once

#include "core/stage_registry.h"

// Stage kinds for tests alone: the shapes of the real ones, and bodies that do nothing.
namespace lastro::toy {

struct VocabularySettings {
  std::int64_t size = 2048;
  std::int64_t log_every = 10;
  static constexpr std::tuple fields{
      field("size", &VocabularySettings::size, {.doc = "tokens, special ones included", .unit = "tokens", .min = 257, .max = 1000000}),
      field("log_every", &VocabularySettings::log_every, {.doc = "how often it speaks", .unit = "documents", .min = 1, .bears = Bears::nothing}),
  };
};

// Gives an artifact of type `Made` and does nothing.
template <class Made>
class Idle {
 public:
  using Output = Made;
  using Settings = NoSettings;
  explicit Idle(NoSettings) {}
};

class VocabularyStage {
 public:
  static constexpr std::string_view kind = "vocabulary";
  static constexpr std::string_view doc = "learns which byte sequences are tokens";
  static constexpr int version = 1;
  using Settings = VocabularySettings;
  struct Inputs {
    Sources text;
    static constexpr std::tuple ports{port("text", &Inputs::text)};
  };
  using Output = Vocabulary;
  explicit VocabularyStage(Settings settings) : settings_(settings) {}
  StageResult run(RunContext&, const Inputs& inputs) const {
    StageResult result;
    result.summary.set("size", settings_.size);
    result.summary.set("sources", static_cast<std::int64_t>(inputs.text.size()));
    return result;
  }

 private:
  Settings settings_;
};

struct TokenizerStage : Idle<Tokenizer> {
  using Idle::Idle;
  static constexpr std::string_view kind = "tokenizer";
  static constexpr int version = 1;
  struct Inputs {
    Vocabulary vocabulary;
    static constexpr std::tuple ports{port("vocabulary", &Inputs::vocabulary)};
  };
  StageResult run(RunContext&, const Inputs&) const { return {}; }
};

struct DatasetStage : Idle<Dataset> {
  using Idle::Idle;
  static constexpr std::string_view kind = "dataset";
  static constexpr int version = 1;
  struct Inputs {
    Tokenizer tokenizer;
    Sources text;
    Sources evaluation;
    static constexpr std::tuple ports{port("tokenizer", &Inputs::tokenizer), port("text", &Inputs::text),
                                      optional_port("evaluation", &Inputs::evaluation)};
  };
  StageResult run(RunContext&, const Inputs&) const { return {}; }
};

struct PretrainSettings {
  std::int64_t width = 256;
  std::int64_t heads = 4;
  std::int64_t steps = 600;
  bool recompute = false;
  static constexpr std::tuple fields{
      field("width", &PretrainSettings::width, {.doc = "of the model", .unit = "elements", .min = 8}),
      field("heads", &PretrainSettings::heads, {.doc = "of attention", .min = 1}),
      field("steps", &PretrainSettings::steps, {.doc = "length of the run", .unit = "steps", .min = 1}),
      field("recompute", &PretrainSettings::recompute, {.doc = "activations are computed again", .bears = Bears::nothing}),
  };
};

class PretrainStage {
 public:
  static constexpr std::string_view kind = "pretrain";
  static constexpr int version = 1;
  using Settings = PretrainSettings;
  struct Inputs {
    Dataset dataset;
    std::optional<Checkpoint> start;
    static constexpr std::tuple ports{port("dataset", &Inputs::dataset), optional_port("start", &Inputs::start)};
  };
  using Output = Checkpoint;
  explicit PretrainStage(Settings) {}
  StageResult run(RunContext&, const Inputs& inputs) const {
    StageResult result;
    result.summary.set("continued", inputs.start.has_value());
    return result;
  }

  static void check(const Settings& settings, SettingsCheck& check) {
    if (settings.width % settings.heads != 0) check.refuse("width", "must be a multiple of heads=" + std::to_string(settings.heads));
  }
  // Weights of width^2 floats and as many again for every heads; one step is 1 GFLOP.
  static Resources resources(const Settings& settings, const PlanFacts& facts) {
    const std::int64_t vocabulary = facts.find("vocabulary") ? facts.find("vocabulary")->settings.at("size").integer() : 0;
    Resources need;
    need.memory_per_rank = {{"weights", 4 * settings.width * (settings.width + vocabulary) / facts.ranks},
                            {"activations", settings.recompute ? 1000 : 1000000}};
    need.flops_6nd = 1e9 * static_cast<double>(settings.steps);
    need.flops = 1.1e9 * static_cast<double>(settings.steps);
    return need;
  }
  static std::vector<Change<Settings>> changes(const Settings& settings) {
    std::vector<Change<Settings>> changes;
    if (!settings.recompute) {
      changes.push_back({"settings.recompute: true", settings});
      changes.back().settings.recompute = true;
    }
    changes.push_back({"settings.steps: " + std::to_string(settings.steps / 2), settings});
    changes.back().settings.steps /= 2;
    return changes;
  }
  static std::vector<Recipe<Settings>> recipes() {
    return {{"small", "for a laptop", {.width = 64, .steps = 100}}, {"large", "for a server", {.width = 4096, .heads = 32, .steps = 100000}}};
  }
};

struct SftStage : Idle<SftModel> {
  using Idle::Idle;
  static constexpr std::string_view kind = "sft";
  static constexpr int version = 1;
  struct Inputs {
    Checkpoint base;
    Sources instructions;
    static constexpr std::tuple ports{port("base", &Inputs::base), port("instructions", &Inputs::instructions)};
  };
  StageResult run(RunContext&, const Inputs&) const { return {}; }
};

struct DpoStage : Idle<Policy> {
  using Idle::Idle;
  static constexpr std::string_view kind = "dpo";
  static constexpr int version = 1;
  struct Inputs {
    SftModel base;
    static constexpr std::tuple ports{port("base", &Inputs::base)};
  };
  StageResult run(RunContext&, const Inputs&) const { return {}; }
};

struct EvaluateStage : Idle<EvalReport> {
  using Idle::Idle;
  static constexpr std::string_view kind = "evaluate";
  static constexpr std::array measurements{std::string_view("bits_per_byte"), std::string_view("xz"), std::string_view("contamination")};
  static constexpr int version = 1;
  struct Inputs {
    AnyModel model;
    Dataset dataset;
    std::optional<EvalReport> baseline;
    static constexpr std::tuple ports{port("model", &Inputs::model), port("dataset", &Inputs::dataset), port("baseline", &Inputs::baseline)};
  };
  StageResult run(RunContext&, const Inputs& inputs) const {
    StageResult result;
    result.summary.set("model", name_of(inputs.model.type()));
    return result;
  }
  // A byte for each document, which only the dataset itself can tell.
  static Resources resources(const Settings&, const PlanFacts& facts) {
    const UpstreamStage* dataset = facts.find("dataset");
    Resources need;
    if (dataset && dataset->summary) need.memory_per_rank = {{"documents", dataset->summary->at("documents").integer()}};
    return need;
  }
};

inline StageRegistry registry() {
  StageRegistry made;
  register_stage<VocabularyStage>(made);
  register_stage<TokenizerStage>(made);
  register_stage<DatasetStage>(made);
  register_stage<PretrainStage>(made);
  register_stage<SftStage>(made);
  register_stage<DpoStage>(made);
  register_stage<EvaluateStage>(made);
  return made;
}

}   // namespace lastro::toy
