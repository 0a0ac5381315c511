#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "domain/errors.h"
#include "domain/field.h"
#include "domain/node.h"
#include "domain/problem.h"

namespace lastro {

// ---- The declaration as a value, for everything that works on any settings alike.

enum class SettingType { boolean, integer, real, text, choice, mapping };

struct SettingSpec {
  std::string_view name;
  FieldInfo info;
  SettingType type = SettingType::text;   // of the value, or of each item of a list
  bool is_list = false;
  bool is_optional = false;
  std::vector<std::string_view> choices;   // choice: the words allowed
  std::vector<SettingSpec> fields;         // mapping: what it holds
  Node fallback;                           // the value where none is given
};
using SettingSpecs = std::vector<SettingSpec>;

// Where settings stand: the file, their dotted path ("04_pretrain.settings") and the place of whatever holds them.
struct SettingsPlace {
  std::string file;
  std::string path;
  Mark mark;
};

// What does not hold between fields, as "problem (why) suggestion". `fields`: those whose change mends it, dotted, the likeliest first.
struct CrossProblem {
  std::vector<std::string> fields;
  std::string text;
};

// `given` with every field in the order of declaration, defaults filled in, whole numbers widened where a real one is meant. Marks are those
// of `given`. Adds a problem for each unknown key, wrong type and value out of range, and takes the default there. Null counts as {}.
Node complete_settings(const SettingSpecs& specs, const Node& given, const SettingsPlace& place, Problems& problems);

// The part of complete settings that can change a result.
Node result_bearing(const SettingSpecs& specs, const Node& complete);

// A value as a message shows it: 3, "text", a mapping.
std::string shown(const Node& value);

namespace settings_detail {

template <class T>
struct is_optional : std::false_type {};
template <class T>
struct is_optional<std::optional<T>> : std::true_type {};
template <class T>
struct is_list : std::false_type {};
template <class T>
struct is_list<std::vector<T>> : std::true_type {};
template <class T>
inline constexpr bool always_false = false;

template <class E>
std::string_view enum_text(E value) {
  for (const auto& entry : enum_names(value))
    if (entry.value == value) return entry.name;
  throw InternalError("an enum of the settings has a value without a name");
}

template <class T>
Node to_node_value(const T& value);

template <HasFields S>
Node struct_to_node(const S& settings) {
  Node::Mapping entries;
  std::apply([&](const auto&... f) { (entries.push_back({std::string(f.name), to_node_value(settings.*(f.member)), {}}), ...); }, S::fields);
  return Node(std::move(entries));
}

template <class T>
Node to_node_value(const T& value) {
  if constexpr (is_optional<T>::value) {
    return value ? to_node_value(*value) : Node(nullptr);
  } else if constexpr (is_list<T>::value) {
    Node::Sequence items;
    for (const auto& item : value) items.push_back(to_node_value(item));
    return Node(std::move(items));
  } else if constexpr (std::is_enum_v<T>) {
    return Node(enum_text(value));
  } else if constexpr (HasFields<T>) {
    return struct_to_node(value);
  } else {
    return Node(value);
  }
}

template <class T>
T from_node_value(const Node& node);

template <HasFields S>
S struct_from_node(const Node& complete) {
  S settings;
  std::apply(
      [&](const auto&... f) {
        ((settings.*(f.member) = from_node_value<std::remove_reference_t<decltype(settings.*(f.member))>>(complete.at(f.name))), ...);
      },
      S::fields);
  return settings;
}

template <class T>
T from_node_value(const Node& node) {
  if constexpr (is_optional<T>::value) {
    return node.is_null() ? T{} : T{from_node_value<typename T::value_type>(node)};
  } else if constexpr (is_list<T>::value) {
    T items;
    for (const Node& item : node.items()) items.push_back(from_node_value<typename T::value_type>(item));
    return items;
  } else if constexpr (std::is_enum_v<T>) {
    for (const auto& entry : enum_names(T{}))
      if (entry.name == node.text()) return entry.value;
    throw InternalError("\"" + node.text() + "\" names no value of its enum (settings must be completed before they are read)");
  } else if constexpr (HasFields<T>) {
    return struct_from_node<T>(node);
  } else if constexpr (std::is_same_v<T, bool>) {
    if (const bool* value = node.as<bool>()) return *value;
    throw InternalError("a node that holds no bool was read as one");
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return node.integer();
  } else if constexpr (std::is_same_v<T, double>) {
    return node.number();
  } else {
    static_assert(std::is_same_v<T, std::string>,
                  "a setting is bool, int64_t, double, string, a named enum, a struct with fields, or optional or vector of these");
    return node.text();
  }
}

template <HasFields S>
SettingSpecs specs_of_struct(const S& defaults);

// The type part of a spec; `value` is what the fields inside fall back to.
template <class T>
SettingSpec spec_of_type(const T& value) {
  SettingSpec spec;
  if constexpr (is_optional<T>::value) {
    spec = spec_of_type(value.value_or(typename T::value_type{}));
    spec.is_optional = true;
  } else if constexpr (is_list<T>::value) {
    spec = spec_of_type(typename T::value_type{});
    spec.is_list = true;
  } else if constexpr (std::is_enum_v<T>) {
    spec.type = SettingType::choice;
    for (const auto& entry : enum_names(T{})) spec.choices.push_back(entry.name);
  } else if constexpr (HasFields<T>) {
    spec.type = SettingType::mapping;
    spec.fields = specs_of_struct(value);
  } else if constexpr (std::is_same_v<T, bool>) {
    spec.type = SettingType::boolean;
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    spec.type = SettingType::integer;
  } else if constexpr (std::is_same_v<T, double>) {
    spec.type = SettingType::real;
  } else {
    static_assert(std::is_same_v<T, std::string>,
                  "a setting is bool, int64_t, double, string, a named enum, a struct with fields, or optional or vector of these");
    spec.type = SettingType::text;
  }
  return spec;
}

template <HasFields S>
SettingSpecs specs_of_struct(const S& defaults) {
  SettingSpecs specs;
  const auto add = [&](const auto& declared) {
    SettingSpec spec = spec_of_type(defaults.*(declared.member));
    spec.name = declared.name;
    spec.info = declared.info;
    spec.fallback = to_node_value(defaults.*(declared.member));
    specs.push_back(std::move(spec));
  };
  std::apply([&](const auto&... f) { (add(f), ...); }, S::fields);
  return specs;
}

}   // namespace settings_detail

// The fields of S, with the values of `defaults` (a recipe, say) as what they fall back to.
template <HasFields S>
SettingSpecs specs_of(const S& defaults = {}) {
  return settings_detail::specs_of_struct(defaults);
}

// Every field with its value, in the order of declaration.
template <HasFields S>
Node to_node(const S& settings) {
  return settings_detail::struct_to_node(settings);
}

// Requires: `complete` is what complete_settings gave for S (or to_node).
template <HasFields S>
S settings_from(const Node& complete) {
  return settings_detail::struct_from_node<S>(complete);
}

// What a person wrote, read into S. Where there is a problem the default stands.
template <HasFields S>
S parse_settings(const Node& given, const SettingsPlace& place, Problems& problems, const S& defaults = {}) {
  return settings_from<S>(complete_settings(specs_of(defaults), given, place, problems));
}

}   // namespace lastro
