#pragma once

#include <array>
#include <concepts>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/resources.h"
#include "core/settings.h"
#include "core/stage.h"
#include "domain/artifact.h"
#include "domain/source.h"

// A stage is a class of this shape; register_stage<VocabularyStage>(registry) is the one line that adds it.
//
//   class VocabularyStage {
//    public:
//     static constexpr std::string_view kind = "vocabulary";
//     static constexpr std::string_view doc = "counts pre-tokens and learns merges";   // one sentence for the reference
//     static constexpr int version = 1;              // part of the stage key: raise it when equal inputs make something else
//     using Settings = VocabularySettings;           // a struct with `fields` (core/settings.h)
//     struct Inputs {
//       Sources text;
//       static constexpr std::tuple ports{port("text", &Inputs::text)};
//     };
//     using Output = Vocabulary;                     // an Artifact<...>
//     explicit VocabularyStage(Settings settings);
//     StageResult run(RunContext& run, const Inputs& inputs) const;
//
//     // Optional:
//     static void check(const Settings& settings, SettingsCheck& check);                  // what is wrong between fields
//     static void check_input(std::string_view port, std::string_view kind, const Node& settings, SettingsCheck& check);
//                                                     // what it asks of the settings of the stage (of that kind) behind a port
//     static Resources resources(const Settings& settings, const PlanFacts& facts);       // may throw BudgetError
//     static std::vector<Change<Settings>> changes(const Settings& settings);             // that make it smaller, cheapest first
//     static std::vector<Recipe<Settings>> recipes();                                     // named presets
//     static constexpr std::array measurements{std::string_view("bits_per_byte"), ...};   // what gates may ask of it
//   };
//
// A member of Inputs is Artifact<T>, AnyModel, Sources, or an std::optional of one of the first two. `ports` lists all of them in the order of
// their declaration. Types are checked twice: a C++ caller with a wrong artifact does not compile, a manifest with one fails at plan.
namespace lastro {

template <class S, class M>
struct Port {
  std::string_view name;
  M S::*member;
  bool is_optional;
};
template <class S, class M>
constexpr Port<S, M> port(std::string_view name, M S::*member) {
  return {name, member, settings_detail::is_optional<M>::value};
}
// A port that a manifest may leave out: std::optional, or Sources (then empty).
template <class S, class M>
constexpr Port<S, M> optional_port(std::string_view name, M S::*member) {
  static_assert(settings_detail::is_optional<M>::value || std::is_same_v<M, Sources>, "an optional port is a std::optional artifact or Sources");
  return {name, member, true};
}

struct NoSettings {
  static constexpr std::tuple<> fields{};
};

// A named preset: what a manifest's `recipe: small` stands for. Settings given beside it win.
template <class Settings>
struct Recipe {
  std::string_view name;
  std::string_view doc;
  Settings settings;
};

// A change of the settings that saves memory or work: "settings.recompute: blocks".
template <class Settings>
struct Change {
  std::string what;
  Settings settings;
};

// Where a stage's own check puts what it finds.
class SettingsCheck {
 public:
  SettingsCheck(const Node& settings, SettingsPlace place, Problems& problems) : settings_(settings), place_(std::move(place)), problems_(problems) {}

  // "04_pretrain.settings.model.width=100 (must be a multiple of heads=3)". `field` is dotted, as in "model.width", or "sizes.2" of a list.
  void refuse(std::string_view field, std::string_view reason);
  // Marked at the first of its fields that the manifest states.
  void refuse(const CrossProblem& problem);

 private:
  const Node& settings_;
  SettingsPlace place_;
  Problems& problems_;
};

// ---- A stage kind as a value, its C++ types made run-time data.

struct InputPort {
  std::string_view name;
  std::vector<ArtifactType> accepts;   // empty: text sources
  bool is_optional = false;
  bool takes_sources() const { return accepts.empty(); }
};

struct ResolvedArtifact {
  ArtifactType type;
  Digest digest;
  std::filesystem::path folder;
  std::string remedy = {};   // what makes it anew where it is damaged, for messages
};

// What a port gets: an artifact, or sources.
struct ResolvedInput {
  std::string port;
  std::optional<ResolvedArtifact> artifact;
  Sources sources;
};
using ResolvedInputs = std::vector<ResolvedInput>;

struct RecipeInfo {
  std::string_view name;
  std::string_view doc;
  Node settings;
};

struct ChangeInfo {
  std::string what;
  Node settings;
};

struct StageKind {
  std::string_view kind;
  std::string_view doc;
  int version = 1;
  std::vector<InputPort> inputs;
  ArtifactType output = ArtifactType::vocabulary;
  std::vector<RecipeInfo> (*recipes)() = nullptr;
  SettingSpecs (*specs)(std::string_view recipe) = nullptr;   // "" or an unknown recipe: the plain defaults
  void (*check)(const Node& settings, SettingsCheck& check) = nullptr;
  void (*check_input)(std::string_view port, std::string_view kind, const Node& settings, SettingsCheck& check) = nullptr;
  Resources (*resources)(const Node& settings, const PlanFacts& facts) = nullptr;
  std::vector<ChangeInfo> (*changes)(const Node& settings) = nullptr;
  std::vector<std::string_view> (*measurements)() = nullptr;
  StageResult (*run)(RunContext& run, const Node& settings, const ResolvedInputs& inputs) = nullptr;

  // Complete settings from what a manifest says; every problem is added, the stage's own checks included.
  Node parse(const Node& given, std::string_view recipe, const SettingsPlace& place, Problems& problems) const;
  const InputPort* find_port(std::string_view name) const;
};

// "a dataset", "a checkpoint, sft_model or policy", "text sources": what a port takes.
std::string words_for(const InputPort& port);
std::string words_for(std::span<const ArtifactType> types);

class StageRegistry {
 public:
  // Throws InternalError when the kind is there already.
  void add(StageKind kind);
  const StageKind* find(std::string_view kind) const;
  const std::vector<StageKind>& kinds() const { return kinds_; }   // in the order of registration
  std::vector<std::string_view> names() const;

 private:
  std::vector<StageKind> kinds_;
};

namespace stage_detail {

template <class T>
struct is_artifact : std::false_type {};
template <ArtifactType T>
struct is_artifact<Artifact<T>> : std::true_type {};

template <class M>
std::vector<ArtifactType> accepted_types() {
  if constexpr (settings_detail::is_optional<M>::value) {
    return accepted_types<typename M::value_type>();
  } else if constexpr (std::is_same_v<M, AnyModel>) {
    return {AnyModel::accepts.begin(), AnyModel::accepts.end()};
  } else if constexpr (std::is_same_v<M, Sources>) {
    return {};
  } else {
    static_assert(is_artifact<M>::value, "a stage's input is Artifact<T>, AnyModel, Sources, or an optional artifact");
    return {M::type};
  }
}

// The input of that name; null when the manifest leaves it out.
const ResolvedInput* find_input(const ResolvedInputs& inputs, std::string_view port);
[[noreturn]] void throw_wrong_type(std::string_view port, ArtifactType found, std::string_view stage);
[[noreturn]] void throw_missing(std::string_view port, std::string_view stage);
AnyModel any_model(const ResolvedArtifact& artifact, std::string_view port, std::string_view stage);

template <class M>
M input_as(const ResolvedInputs& inputs, std::string_view port, std::string_view stage) {
  const ResolvedInput* found = find_input(inputs, port);
  if constexpr (std::is_same_v<M, Sources>) {
    return found ? found->sources : Sources{};
  } else if constexpr (settings_detail::is_optional<M>::value) {
    return found ? M(input_as<typename M::value_type>(inputs, port, stage)) : M{};
  } else {
    if (!found || !found->artifact) throw_missing(port, stage);
    if constexpr (std::is_same_v<M, AnyModel>) {
      return any_model(*found->artifact, port, stage);
    } else {
      if (found->artifact->type != M::type) throw_wrong_type(port, found->artifact->type, stage);
      return M(found->artifact->digest, found->artifact->folder);
    }
  }
}

template <class S>
std::vector<InputPort> ports_of() {
  std::vector<InputPort> ports;
  const auto add = [&]<class I, class M>(const Port<I, M>& declared) { ports.push_back({declared.name, accepted_types<M>(), declared.is_optional}); };
  std::apply([&](const auto&... declared) { (add(declared), ...); }, S::Inputs::ports);
  return ports;
}

// Inputs is an aggregate whose members cannot be empty, so it is made at once, from the ports in order.
template <class S>
typename S::Inputs inputs_from(const ResolvedInputs& resolved) {
  return std::apply(
      [&]<class... M>(const Port<typename S::Inputs, M>&... declared) {
        return typename S::Inputs{input_as<M>(resolved, declared.name, S::kind)...};
      },
      S::Inputs::ports);
}

// Ports out of order would swap two inputs of one type without a word.
template <class S>
bool ports_ascend(const typename S::Inputs& inputs) {
  const void* last = nullptr;
  bool ascend = true;
  const auto look = [&](const void* member) {
    ascend = ascend && std::less<const void*>()(last, member);
    last = member;
  };
  std::apply([&](const auto&... declared) { (look(&(inputs.*(declared.member))), ...); }, S::Inputs::ports);
  return ascend;
}

template <class S>
SettingSpecs specs_with_recipe(std::string_view recipe) {
  if constexpr (requires { S::recipes(); }) {
    for (const auto& preset : S::recipes())
      if (preset.name == recipe) return specs_of(preset.settings);
  }
  return specs_of<typename S::Settings>();
}

template <class S>
std::vector<RecipeInfo> recipes_of() {
  std::vector<RecipeInfo> recipes;
  if constexpr (requires { S::recipes(); }) {
    for (const auto& preset : S::recipes()) recipes.push_back({preset.name, preset.doc, to_node(preset.settings)});
  }
  return recipes;
}

template <class S>
void check_stage(const Node& settings, SettingsCheck& check) {
  if constexpr (requires(const typename S::Settings& own) { S::check(own, check); }) S::check(settings_from<typename S::Settings>(settings), check);
}

template <class S>
void check_stage_behind(std::string_view port, std::string_view kind, const Node& settings, SettingsCheck& check) {
  if constexpr (requires { S::check_input(port, kind, settings, check); }) S::check_input(port, kind, settings, check);
}

template <class S>
Resources resources_of(const Node& settings, const PlanFacts& facts) {
  if constexpr (requires(const typename S::Settings& own) { S::resources(own, facts); })
    return S::resources(settings_from<typename S::Settings>(settings), facts);
  else
    return {};
}

template <class S>
std::vector<ChangeInfo> changes_of(const Node& settings) {
  std::vector<ChangeInfo> changes;
  if constexpr (requires(const typename S::Settings& own) { S::changes(own); })
    for (const auto& change : S::changes(settings_from<typename S::Settings>(settings))) changes.push_back({change.what, to_node(change.settings)});
  return changes;
}

template <class S>
StageResult run_stage(RunContext& run, const Node& settings, const ResolvedInputs& resolved) {
  const S stage(settings_from<typename S::Settings>(settings));
  const typename S::Inputs inputs = inputs_from<S>(resolved);
  if (!ports_ascend<S>(inputs)) throw InternalError("the ports of stage kind " + std::string(S::kind) + " are not in the order of its inputs");
  return stage.run(run, inputs);
}

template <class S>
std::vector<std::string_view> measurements_by() {
  if constexpr (requires { S::measurements; })
    return {S::measurements.begin(), S::measurements.end()};
  else
    return {};
}

template <class S>
constexpr std::string_view doc_of() {
  if constexpr (requires { S::doc; })
    return S::doc;
  else
    return "";
}

}   // namespace stage_detail

template <class S>
StageKind stage_kind() {
  static_assert(std::convertible_to<decltype(S::kind), std::string_view>, "a stage has a static kind: the word that manifests use");
  static_assert(HasFields<typename S::Settings>, "a stage's Settings is a struct with fields (core/settings.h), or NoSettings");
  static_assert(stage_detail::is_artifact<typename S::Output>::value, "a stage's Output is one Artifact type");
  static_assert(std::constructible_from<S, typename S::Settings>, "a stage is constructed from its Settings");
  static_assert(
      requires(const S& stage, RunContext& run, const typename S::Inputs& inputs) {
        { stage.run(run, inputs) } -> std::same_as<StageResult>;
      },
      "a stage has StageResult run(RunContext&, const Inputs&) const");
  StageKind made;
  made.kind = S::kind;
  made.doc = stage_detail::doc_of<S>();
  made.version = S::version;
  made.inputs = stage_detail::ports_of<S>();
  made.output = S::Output::type;
  made.recipes = stage_detail::recipes_of<S>;
  made.specs = stage_detail::specs_with_recipe<S>;
  made.check = stage_detail::check_stage<S>;
  made.check_input = stage_detail::check_stage_behind<S>;
  made.resources = stage_detail::resources_of<S>;
  made.changes = stage_detail::changes_of<S>;
  made.measurements = stage_detail::measurements_by<S>;
  made.run = stage_detail::run_stage<S>;
  return made;
}

template <class S>
void register_stage(StageRegistry& registry) {
  registry.add(stage_kind<S>());
}

}   // namespace lastro
