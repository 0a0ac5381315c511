#include "core/reference.h"

#include "core/record_keys.h"
#include "core/settings_text.h"
#include "domain/manifest.h"

namespace lastro {
namespace {

constexpr std::string_view stage_name_pattern = "^[0-9]{2}_[A-Za-z0-9_]+$";
constexpr std::string_view digest_pattern = "^(sha256:)?[0-9a-f]{64}$";
constexpr std::string_view condition_pattern = "^ *(<=|>=|<|>|==) *[^ ].*$";

Node with(Node schema, std::string_view key, Node value) {
  schema.set(key, std::move(value));
  return schema;
}

Node typed(std::string_view type) { return with(Node::mapping(), "type", Node(type)); }

Node list_of(Node items) { return with(typed("array"), "items", std::move(items)); }

Node described(Node schema, std::string_view text) { return with(std::move(schema), "description", Node(text)); }

// A mapping whose keys are names.
Node by_name(Node each) { return with(typed("object"), "additionalProperties", std::move(each)); }

Node either(Node one, Node other) { return with(Node::mapping(), "anyOf", Node(Node::Sequence{std::move(one), std::move(other)})); }

Node inputs_schema(const StageKind& kind) {
  Node properties = Node::mapping(), required = Node::sequence();
  for (const InputPort& port : kind.inputs) {
    Node value = port.takes_sources() ? either(typed("string"), list_of(typed("string"))) : typed("string");
    if (port.is_optional) value = either(std::move(value), typed("null"));
    properties.set(port.name, described(std::move(value), "takes " + words_for(port)));
    if (!port.is_optional) required.push(Node(port.name));
  }
  Node schema = with(with(typed("object"), "additionalProperties", false), "properties", std::move(properties));
  if (!required.items().empty()) schema.set("required", std::move(required));
  return schema;
}

Node expect_schema() {
  const Node hash = either(with(typed("string"), "pattern", Node(digest_pattern)), typed("null"));
  Node properties = with(Node::mapping(), "output_hash", described(hash, "a run that makes anything else stops"));
  return either(with(with(typed("object"), "additionalProperties", false), "properties", std::move(properties)), typed("null"));
}

Node stage_schema(const StageKind& kind) {
  Node properties = Node::mapping();
  properties.set("kind", with(Node::mapping(), "const", Node(kind.kind)));
  Node recipes = Node::sequence();
  for (const RecipeInfo& recipe : kind.recipes()) recipes.push(Node(recipe.name));
  recipes.push(Node(nullptr));
  properties.set("recipe", with(Node::mapping(), "enum", std::move(recipes)));
  properties.set("inputs", inputs_schema(kind));
  properties.set("settings", either(schema_of(kind.specs("")), typed("null")));
  properties.set("expect", expect_schema());
  for (const std::string_view key : recorded_stage_keys) properties.set(key, described(Node::mapping(), "recorded by a run"));
  Node schema = described(typed("object"), kind.doc);
  schema.set("additionalProperties", false);
  schema.set("required", Node(Node::Sequence{Node("kind")}));
  schema.set("properties", std::move(properties));
  return schema;
}

// Chooses by kind, so that an editor tells what is wrong with the stage that was meant, and not with all others.
Node any_stage_schema(const StageRegistry& registry) {
  Node choices = Node::sequence(), kinds = Node::sequence();
  for (const StageKind& kind : registry.kinds()) {
    kinds.push(Node(kind.kind));
    Node is_it = with(Node::mapping(), "properties", with(Node::mapping(), "kind", with(Node::mapping(), "const", Node(kind.kind))));
    choices.push(with(with(Node::mapping(), "if", std::move(is_it)), "then", stage_schema(kind)));
  }
  Node schema = typed("object");
  schema.set("required", Node(Node::Sequence{Node("kind")}));
  schema.set("properties", with(Node::mapping(), "kind", with(Node::mapping(), "enum", std::move(kinds))));
  schema.set("allOf", std::move(choices));
  return schema;
}

std::string inputs_rows(const StageKind& kind) {
  std::string rows;
  for (const InputPort& port : kind.inputs)
    rows += "| `inputs." + std::string(port.name) + "` | " + (port.is_optional ? "none" : "required") + " | " + words_for(port) + " | |\n";
  return rows;
}

std::string stage_section(const StageKind& kind) {
  std::string text = "\n### `kind: " + std::string(kind.kind) + "`, makes " + words_for(std::array{kind.output}) + "\n\n";
  if (!kind.doc.empty()) text += std::string(kind.doc) + "\n\n";
  text += std::string(markdown_head) + inputs_rows(kind) + markdown_rows(kind.specs(""), "settings.");
  std::string recipes;
  for (const RecipeInfo& recipe : kind.recipes()) recipes += "\n- `recipe: " + std::string(recipe.name) + "`: " + std::string(recipe.doc);
  if (!recipes.empty()) text += recipes + "\n";
  std::string measured;
  for (const std::string_view name : kind.measurements()) measured += (measured.empty() ? "" : ", ") + ("`" + std::string(name) + "`");
  if (!measured.empty()) text += "\nMeasures, for gates: " + measured + ".\n";
  return text;
}

}   // namespace

Node manifest_schema(const StageRegistry& registry) {
  Node schema = with(Node::mapping(), "$schema", Node("https://json-schema.org/draft/2020-12/schema"));
  schema.set("title", "Lastro manifest");
  schema.set("type", "object");
  schema.set("additionalProperties", false);
  schema.set("required", Node(Node::Sequence{Node("name"), Node("stages")}));
  Node properties = schema_of(specs_of<Manifest>()).at("properties");
  Node stages = with(with(typed("object"), "additionalProperties", false), "patternProperties",
                     with(Node::mapping(), stage_name_pattern, any_stage_schema(registry)));
  stages.set("minProperties", 1);
  properties.set("sources", described(by_name(schema_of(specs_of<SourceSpec>())), "text sources by name"));
  properties.set("stages", described(std::move(stages), "stages by name, two digits first; their order follows from their inputs"));
  properties.set("gates", described(by_name(with(typed("string"), "pattern", Node(condition_pattern))),
                                    "conditions by measurement, such as \"<= 25.0\" or \">= baseline + 0.5\""));
  for (const std::string_view key : recorded_run_keys) properties.set(key, described(Node::mapping(), "recorded by a run"));
  schema.set("properties", std::move(properties));
  return schema;
}

std::string manifest_reference(const StageRegistry& registry) {
  std::string text = "### At the top\n\n" + std::string(markdown_head) + markdown_rows(specs_of<Manifest>());
  text += "\n### `sources`: each by its name\n\n" + std::string(markdown_head) + markdown_rows(specs_of<SourceSpec>());
  text += "\n### `stages`: each by its name, `NN_name`\n\n" + std::string(markdown_head);
  text += "| `kind` | required | one of those below | what the stage does |\n";
  text += "| `recipe` | `null` | a recipe of the kind; or null | a named preset; settings beside it win |\n";
  text += "| `inputs` | `{}` | mapping | by port: the name of a stage, or of one or a list of sources |\n";
  text += "| `settings` | `{}` | mapping | the kind's own fields, below |\n";
  text += "| `expect.output_hash` | `null` | text; or null | a run that makes anything else stops |\n";
  text += "\n### `gates`: each by the measurement it judges\n\n";
  text +=
      "`<=`, `>=`, `<`, `>` or `==`, and then a number, or a name with a number added: `\"<= 25.0\"`, `\">= baseline + 0.5\"`, `\"<= baseline - 1 "
      "%\"`, `\"<= xz\"`.\n";
  text += "A name is `baseline` (the same measurement in the baseline report) or another measurement. What was not measured holds the release.\n";
  text += "Of every run: `cost_total_usd`, `wall_clock_total_sec`.\n";
  for (const StageKind& kind : registry.kinds()) text += stage_section(kind);
  return text;
}

}   // namespace lastro
