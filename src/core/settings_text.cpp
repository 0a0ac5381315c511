#include "core/settings_text.h"

#include <cmath>

#include "core/text_of_number.h"

namespace lastro {
namespace {

bool is_whole(double value) { return value == std::floor(value) && std::abs(value) < 1e15; }
Node bound_node(double value) { return is_whole(value) ? Node(static_cast<std::int64_t>(value)) : Node(value); }
std::string bound_text(double value) { return is_whole(value) ? text_of(static_cast<std::int64_t>(value)) : text_of(value); }

Node either(Node one, Node other) {
  Node schema = Node::mapping();
  schema.set("anyOf", Node(Node::Sequence{std::move(one), std::move(other)}));
  return schema;
}

Node item_schema(const SettingSpec& spec) {
  Node schema = Node::mapping();
  switch (spec.type) {
    case SettingType::boolean: schema.set("type", "boolean"); break;
    case SettingType::integer: schema.set("type", "integer"); break;
    case SettingType::real: schema.set("type", "number"); break;
    case SettingType::text: schema.set("type", "string"); break;
    case SettingType::mapping: return schema_of(spec.fields);
    case SettingType::choice:
      Node words = Node::sequence();
      for (const std::string_view choice : spec.choices) words.push(Node(choice));
      schema.set("enum", std::move(words));
  }
  if (std::isfinite(spec.info.min)) schema.set("minimum", bound_node(spec.info.min));
  if (std::isfinite(spec.info.above)) schema.set("exclusiveMinimum", bound_node(spec.info.above));
  if (std::isfinite(spec.info.max)) schema.set("maximum", bound_node(spec.info.max));
  return schema;
}

Node value_schema(const SettingSpec& spec) {
  Node schema = item_schema(spec);
  if (spec.is_list) {
    Node list = Node::mapping();
    list.set("type", "array");
    list.set("items", schema);
    schema = spec.info.one_or_many ? either(std::move(schema), std::move(list)) : std::move(list);
  }
  if (!spec.is_optional) return schema;
  Node none = Node::mapping();
  Node words = Node::sequence();
  words.push(Node(nullptr));
  if (!spec.info.absent.empty()) words.push(Node(spec.info.absent));
  none.set("enum", std::move(words));
  return either(std::move(schema), std::move(none));
}

Node default_of(const SettingSpec& spec) { return spec.fallback.is_null() && !spec.info.absent.empty() ? Node(spec.info.absent) : spec.fallback; }

std::string range_words(const FieldInfo& info) {
  const bool has_low = std::isfinite(info.min), is_open = std::isfinite(info.above), has_high = std::isfinite(info.max);
  if (has_low && has_high) return ", " + bound_text(info.min) + " to " + bound_text(info.max);
  std::string text;
  if (is_open) text += ", above " + bound_text(info.above);
  if (has_low) text += ", at least " + bound_text(info.min);
  if (has_high) text += ", at most " + bound_text(info.max);
  return text;
}

std::string item_words(const SettingSpec& spec) {
  switch (spec.type) {
    case SettingType::boolean: return "true or false";
    case SettingType::integer: return "whole number";
    case SettingType::real: return "number";
    case SettingType::text: return "text";
    case SettingType::mapping: return "mapping";
    case SettingType::choice: break;
  }
  std::string words;
  for (const std::string_view choice : spec.choices) words += (words.empty() ? "" : ", ") + std::string(choice);
  return words;
}

std::string default_text(const SettingSpec& spec) {
  const Node value = default_of(spec);
  if (value.is_sequence() && value.items().empty()) return "[]";
  if (value.is_sequence() || value.is_mapping()) {
    std::string text;
    for (const Node& item : value.items()) text += (text.empty() ? "" : ", ") + shown(item);
    return value.is_mapping() ? "{...}" : "[" + text + "]";
  }
  const std::string* text = value.as<std::string>();
  return text && !text->empty() ? *text : shown(value);
}

// A Markdown cell ends at a bar.
std::string cell(std::string text) {
  for (std::size_t at = text.find('|'); at != text.npos; at = text.find('|', at + 2)) text.insert(at, "\\");
  return text;
}

}   // namespace

std::string values_text(const SettingSpec& spec) {
  std::string text = (spec.info.one_or_many ? "one or a list of: " : spec.is_list ? "list of: " : "") + item_words(spec) + range_words(spec.info);
  if (!spec.info.unit.empty()) text += ", " + std::string(spec.info.unit);
  if (spec.is_optional) text += spec.info.absent.empty() ? "; or null" : "; or " + std::string(spec.info.absent);
  return text;
}

Node schema_of(const SettingSpecs& specs) {
  Node properties = Node::mapping();
  for (const SettingSpec& spec : specs) {
    Node& property = properties.set(spec.name, value_schema(spec));
    if (!spec.info.doc.empty()) property.set("description", Node(spec.info.doc));
    if (!spec.info.unit.empty()) property.set("x-unit", Node(spec.info.unit));
    if (spec.type != SettingType::mapping || spec.is_list || spec.is_optional) property.set("default", default_of(spec));
  }
  Node schema = Node::mapping();
  schema.set("type", "object");
  schema.set("additionalProperties", false);
  schema.set("properties", std::move(properties));
  return schema;
}

std::string markdown_rows(const SettingSpecs& specs, const std::string& prefix) {
  std::string rows;
  for (const SettingSpec& spec : specs) {
    const std::string name = prefix + std::string(spec.name);
    const bool is_group = spec.type == SettingType::mapping && !spec.is_list && !spec.is_optional;
    if (is_group) {
      rows += "| `" + name + "` | | mapping | " + cell(std::string(spec.info.doc)) + " |\n";
      rows += markdown_rows(spec.fields, name + ".");
      continue;
    }
    rows += "| `" + name + "` | `" + cell(default_text(spec)) + "` | " + cell(values_text(spec)) + " | " + cell(std::string(spec.info.doc)) + " |\n";
    if (spec.type == SettingType::mapping) rows += markdown_rows(spec.fields, name + (spec.is_list ? "[]." : "."));
  }
  return rows;
}

}   // namespace lastro
