#include "core/stage_registry.h"

#include <algorithm>
#include <charconv>

#include "domain/errors.h"

namespace lastro {
namespace {

// An item of a list by its number, or an entry of a mapping by its key; null where there is none.
const Node* part_of(const Node& node, std::string_view part) {
  if (!node.is_sequence()) return node.find(part);
  std::size_t index = node.items().size();
  std::from_chars(part.data(), part.data() + part.size(), index);
  return index < node.items().size() ? &node.items()[index] : nullptr;
}

// The deepest node on the dotted path that exists, so that a default's problem is marked at what holds it.
const Node& node_on_path(const Node& settings, std::string_view path) {
  const Node* at = &settings;
  while (!path.empty()) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    const Node* next = part_of(*at, path.substr(0, dot));
    if (!next) break;
    at = next;
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return *at;
}

}   // namespace

void SettingsCheck::refuse(std::string_view field, std::string_view reason) {
  const Node& value = node_on_path(settings_, field);
  const Mark mark = value.mark == Mark{} ? place_.mark : value.mark;
  const std::string what = place_.path + "." + std::string(field) + (value.is_mapping() ? "" : "=" + shown(value));
  problems_.push_back({place_.file, mark, what + " (" + std::string(reason) + ")"});
}

void SettingsCheck::refuse(const CrossProblem& problem) {
  Mark mark = settings_.mark == Mark{} ? place_.mark : settings_.mark;
  for (const std::string& field : problem.fields) {
    const std::size_t dot = field.rfind('.');
    const Mark holder = dot == field.npos ? settings_.mark : node_on_path(settings_, field.substr(0, dot)).mark;
    const Mark found = node_on_path(settings_, field).mark;
    if (found == Mark{} || found == holder) continue;   // a default has the mark of what holds it
    mark = found;
    break;
  }
  problems_.push_back({place_.file, mark, place_.path + ": " + problem.text});
}

Node StageKind::parse(const Node& given, std::string_view recipe, const SettingsPlace& place, Problems& problems) const {
  const std::size_t before = problems.size();
  Node settings = complete_settings(specs(recipe), given, place, problems);
  if (problems.size() > before) return settings;   // what does not hold alone need not hold together
  SettingsCheck sink(settings, place, problems);
  check(settings, sink);
  return settings;
}

const InputPort* StageKind::find_port(std::string_view name) const {
  for (const InputPort& input : inputs)
    if (input.name == name) return &input;
  return nullptr;
}

std::string words_for(std::span<const ArtifactType> types) {
  std::string words;
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (i > 0) words += i + 1 == types.size() ? " or " : ", ";
    words += name_of(types[i]);
  }
  const bool vowel = !words.empty() && std::string_view("aeiou").find(words.front()) != std::string_view::npos;
  return (vowel ? "an " : "a ") + words;
}

std::string words_for(const InputPort& port) { return port.takes_sources() ? "text sources" : words_for(port.accepts); }

void StageRegistry::add(StageKind kind) {
  if (find(kind.kind)) throw InternalError("stage kind " + std::string(kind.kind) + " is registered twice");
  kinds_.push_back(std::move(kind));
}

const StageKind* StageRegistry::find(std::string_view kind) const {
  for (const StageKind& known : kinds_)
    if (known.kind == kind) return &known;
  return nullptr;
}

std::vector<std::string_view> StageRegistry::names() const {
  std::vector<std::string_view> names;
  for (const StageKind& known : kinds_) names.push_back(known.kind);
  return names;
}

namespace stage_detail {

const ResolvedInput* find_input(const ResolvedInputs& inputs, std::string_view port) {
  for (const ResolvedInput& input : inputs)
    if (input.port == port) return &input;
  return nullptr;
}

void throw_wrong_type(std::string_view port, ArtifactType found, std::string_view stage) {
  throw InternalError("input " + std::string(port) + " of stage kind " + std::string(stage) + " got a " + std::string(name_of(found)) +
                      " (the plan should have refused it)");
}

void throw_missing(std::string_view port, std::string_view stage) {
  throw InternalError("input " + std::string(port) + " of stage kind " + std::string(stage) + " got nothing (the plan should have refused it)");
}

AnyModel any_model(const ResolvedArtifact& artifact, std::string_view port, std::string_view stage) {
  switch (artifact.type) {
    case ArtifactType::checkpoint: return Checkpoint(artifact.digest, artifact.folder);
    case ArtifactType::sft_model: return SftModel(artifact.digest, artifact.folder);
    case ArtifactType::policy: return Policy(artifact.digest, artifact.folder);
    case ArtifactType::vocabulary:
    case ArtifactType::tokenizer:
    case ArtifactType::dataset:
    case ArtifactType::reward_model:
    case ArtifactType::eval_report: break;
  }
  throw_wrong_type(port, artifact.type, stage);
}

}   // namespace stage_detail
}   // namespace lastro
