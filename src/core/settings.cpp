#include "core/settings.h"

#include <algorithm>
#include <cmath>

#include "core/nearest.h"
#include "core/text_of_number.h"
#include "core/utf8.h"

namespace lastro {
namespace {

constexpr double no_limit = std::numeric_limits<double>::infinity();

// A bound as a person writes it: 257, not 257.0.
std::string bound_text(double bound) {
  return bound == std::floor(bound) && std::abs(bound) < 1e15 ? text_of(static_cast<std::int64_t>(bound)) : text_of(bound);
}

std::string range_text(const FieldInfo& info) {
  if (info.min > -no_limit && info.max < no_limit) return "from " + bound_text(info.min) + " to " + bound_text(info.max);
  if (info.above > -no_limit && info.max < no_limit) return "above " + bound_text(info.above) + " and at most " + bound_text(info.max);
  if (info.min > -no_limit) return "at least " + bound_text(info.min);
  if (info.above > -no_limit) return "above " + bound_text(info.above);
  return "at most " + bound_text(info.max);
}

std::string_view type_text(SettingType type) {
  switch (type) {
    case SettingType::boolean: return "true or false";
    case SettingType::integer: return "a whole number";
    case SettingType::real: return "a number";
    case SettingType::text: return "a text";
    case SettingType::choice: return "one of its words";
    case SettingType::mapping: return "a mapping";
  }
  throw InternalError("a setting has no type");
}

// "; tokens, special ones included, in tokens"
std::string meaning(const FieldInfo& info) {
  std::string text = info.doc.empty() ? "" : "; " + std::string(info.doc);
  if (!info.unit.empty()) text += ", in " + std::string(info.unit);
  return text;
}

class Completer {
 public:
  Completer(const std::string& file, Problems& problems) : file_(file), problems_(problems) {}

  Node mapping(const SettingSpecs& specs, const Node& given, const std::string& path, Mark outer) {
    const Mark mark = given.mark == Mark{} ? outer : given.mark;
    if (!given.is_null() && !given.is_mapping()) refuse(mark, path + "=" + shown(given) + " (must be a mapping of settings)");
    refuse_unknown_keys(specs, given, path);
    Node::Mapping complete;
    for (const SettingSpec& spec : specs) {
      const Node* value = given.find(spec.name);
      const std::string name = path.empty() ? std::string(spec.name) : path + "." + std::string(spec.name);
      complete.push_back({std::string(spec.name), value ? setting(spec, *value, name) : defaulted(spec, name, mark), mark});
    }
    Node made(std::move(complete));
    made.mark = mark;
    return made;
  }

 private:
  void refuse(Mark mark, std::string message) { problems_.push_back({file_, mark, std::move(message)}); }

  void refuse_unknown_keys(const SettingSpecs& specs, const Node& given, const std::string& path) {
    std::vector<std::string_view> known;
    for (const SettingSpec& spec : specs) known.push_back(spec.name);
    for (const Entry& entry : given.entries())
      if (std::find(known.begin(), known.end(), entry.key) == known.end())
        refuse(entry.mark, "unknown key " + shown(Node(entry.key)) + (path.empty() ? "" : " in " + path) + suggestion(entry.key, known));
  }

  Node defaulted(const SettingSpec& spec, const std::string& path, Mark outer) {
    if (spec.type == SettingType::mapping && !spec.is_list && !spec.fallback.is_null()) return mapping(spec.fields, Node(), path, outer);
    Node value = spec.fallback;
    value.mark = outer;
    return value;
  }

  Node setting(const SettingSpec& spec, const Node& given, const std::string& path) {
    if (spec.is_optional && is_absent(spec, given)) return marked(Node(nullptr), given.mark);
    if (!spec.is_list) return single(spec, given, path);
    if (spec.info.one_or_many && !given.is_sequence()) return marked(Node(Node::Sequence{single(spec, given, path)}), given.mark);
    if (!given.is_sequence()) {
      refuse(given.mark, path + "=" + shown(given) + " (must be a list" + meaning(spec.info) + ")");
      return defaulted(spec, path, given.mark);
    }
    Node::Sequence items;
    for (const Node& item : given.items()) items.push_back(single(spec, item, path + "[" + std::to_string(items.size()) + "]"));
    return marked(Node(std::move(items)), given.mark);
  }

  static bool is_absent(const SettingSpec& spec, const Node& given) {
    const std::string* word = given.as<std::string>();
    return given.is_null() || (word && !spec.info.absent.empty() && *word == spec.info.absent);
  }

  Node single(const SettingSpec& spec, const Node& given, const std::string& path) {
    if (spec.type == SettingType::mapping) return mapping(spec.fields, given, path, given.mark);
    const std::string reason = spec.type == SettingType::choice ? choice_refusal(spec, given) : plain_refusal(spec, given);
    if (!reason.empty()) {
      refuse(given.mark, path + "=" + shown(given) + reason);
      return stand_in(spec, given.mark);
    }
    if (spec.type == SettingType::real) return marked(Node(given.number()), given.mark);
    return given;
  }

  // A value of the right type, so that reading goes on to the next problem.
  static Node stand_in(const SettingSpec& spec, Mark mark) {
    if (spec.is_optional) return marked(Node(nullptr), mark);
    if (!spec.is_list && !spec.fallback.is_null()) return marked(spec.fallback, mark);
    switch (spec.type) {
      case SettingType::boolean: return marked(Node(false), mark);
      case SettingType::integer: return marked(Node(std::int64_t{0}), mark);
      case SettingType::real: return marked(Node(0.0), mark);
      case SettingType::text: return marked(Node(""), mark);
      case SettingType::choice: return marked(Node(spec.choices.front()), mark);
      case SettingType::mapping: return marked(Node::mapping(), mark);
    }
    throw InternalError("a setting has no type");
  }

  static std::string choice_refusal(const SettingSpec& spec, const Node& given) {
    const std::string* word = given.as<std::string>();
    if (word && std::find(spec.choices.begin(), spec.choices.end(), *word) != spec.choices.end()) return "";
    std::string known;
    for (const std::string_view choice : spec.choices) known += (known.empty() ? "" : ", ") + std::string(choice);
    const std::string_view near = word ? nearest(*word, spec.choices) : "";
    return " (must be one of: " + known + meaning(spec.info) + ")" + (near.empty() ? "" : ". Did you mean \"" + std::string(near) + "\"?");
  }

  static std::string plain_refusal(const SettingSpec& spec, const Node& given) {
    if (!has_type(spec.type, given)) return " (must be " + std::string(type_text(spec.type)) + meaning(spec.info) + ")" + type_hint(spec.type, given);
    if (!given.is_number()) return "";
    const double value = given.number();
    if (!std::isfinite(value)) return " (must be finite" + meaning(spec.info) + ")";
    if (value >= spec.info.min && value > spec.info.above && value <= spec.info.max) return "";
    return " (must be " + range_text(spec.info) + meaning(spec.info) + ")";
  }

  static bool has_type(SettingType type, const Node& given) {
    switch (type) {
      case SettingType::boolean: return given.as<bool>();
      case SettingType::integer: return given.as<std::int64_t>();
      case SettingType::real: return given.is_number();
      case SettingType::text:
      case SettingType::choice: return given.as<std::string>();
      case SettingType::mapping: return given.is_mapping();
    }
    return false;
  }

  static std::string type_hint(SettingType type, const Node& given) {
    const double* real = given.as<double>();
    if (type == SettingType::integer && real && *real == std::floor(*real) && std::abs(*real) < 1e15)
      return ". Write " + text_of(static_cast<std::int64_t>(*real));
    if (type == SettingType::text && !given.is_null() && !given.is_mapping() && !given.is_sequence()) return ". Put it in quotes";
    return "";
  }

  static Node marked(Node node, Mark mark) {
    node.mark = mark;
    return node;
  }

  const std::string& file_;
  Problems& problems_;
};

Node bearing(const SettingSpec& spec, const Node& value) {
  if (spec.type != SettingType::mapping || value.is_null()) return value;
  if (!spec.is_list) return result_bearing(spec.fields, value);
  Node::Sequence items;
  for (const Node& item : value.items()) items.push_back(result_bearing(spec.fields, item));
  return Node(std::move(items));
}

}   // namespace

Node complete_settings(const SettingSpecs& specs, const Node& given, const SettingsPlace& place, Problems& problems) {
  return Completer(place.file, problems).mapping(specs, given, place.path, place.mark);
}

Node result_bearing(const SettingSpecs& specs, const Node& complete) {
  Node::Mapping kept;
  for (const SettingSpec& spec : specs)
    if (spec.info.bears == Bears::result) kept.push_back({std::string(spec.name), bearing(spec, complete.at(spec.name)), {}});
  return Node(std::move(kept));
}

std::string shown(const Node& value) {
  constexpr std::size_t most_bytes = 60;
  if (value.is_null()) return "null";
  if (const bool* boolean = value.as<bool>()) return *boolean ? "true" : "false";
  if (const auto* integer = value.as<std::int64_t>()) return text_of(*integer);
  if (const double* real = value.as<double>()) return text_of(*real);
  if (value.is_sequence()) return "[" + std::string(value.items().empty() ? "" : "...") + "]";
  if (value.is_mapping()) return "{" + std::string(value.entries().empty() ? "" : "...") + "}";
  std::string text;
  std::string_view rest = value.text();
  while (!rest.empty() && text.size() < most_bytes) {
    const std::size_t bytes = std::max<std::size_t>(utf8_sequence_length(rest), 1);
    text += static_cast<unsigned char>(rest.front()) < 0x20 || rest.front() == 0x7f ? " " : rest.substr(0, bytes);
    rest.remove_prefix(bytes);
  }
  return "\"" + text + (rest.empty() ? "" : "...") + "\"";
}

}   // namespace lastro
