#include <algorithm>
#include <cmath>

#include "core/json.h"
#include "core/text_of_number.h"
#include "core/yaml.h"
#include "infra/yaml/plain_scalar.h"

namespace lastro {
namespace {

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

// Words that readers of YAML 1.1 take for booleans.
bool is_old_boolean(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  constexpr std::string_view words[] = {"y", "n", "yes", "no", "on", "off"};
  return std::find(std::begin(words), std::end(words), lower) != std::end(words);
}

// Whether a text reads back as itself without quotes, here and in readers of YAML 1.1. Rather too few than too many.
bool is_plain(std::string_view text) {
  if (text.empty() || text.size() > 200 || text.back() == ' ' || is_old_boolean(text)) return false;
  if (!is_letter_or_digit(text.front()) && text.front() != '_' && text.front() != '/' && text.front() != '.') return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool is_inner_colon = c == ':' && i + 1 < text.size() && is_letter_or_digit(text[i + 1]);
    if (!is_letter_or_digit(c) && std::string_view("_-./+ ()=").find(c) == std::string_view::npos && !is_inner_colon) return false;
  }
  const bool is_like_a_date = text.front() >= '0' && text.front() <= '9' && text.find_first_of(":-") != text.npos;
  const PlainScalar read = resolve_plain(text);
  return !is_like_a_date && read.refusal.empty() && read.value.as<std::string>();
}

// JSON's quoted texts are YAML's too, but for DEL, which YAML wants escaped.
std::string quoted(std::string_view text) {
  std::string json = to_json(Node(text));
  for (std::size_t at = json.find('\x7F'); at != json.npos; at = json.find('\x7F', at)) json.replace(at, 1, "\\u007f");
  return json;
}

std::string text_or_quoted(std::string_view text) { return is_plain(text) ? std::string(text) : quoted(text); }

std::string scalar(const Node& node) {
  if (const double* real = node.as<double>()) {
    if (std::isnan(*real)) return ".nan";
    if (std::isinf(*real)) return *real < 0 ? "-.inf" : ".inf";
  }
  if (const std::string* text = node.as<std::string>()) return text_or_quoted(*text);
  return to_json(node);   // null, bools, numbers, {} and [] are written alike
}

bool is_nested(const Node& node) { return !node.items().empty() || !node.entries().empty(); }

class Writer {
 public:
  std::string write(const Node& tree) {
    if (is_nested(tree))
      block(tree, 0);
    else
      out_ += scalar(tree) + "\n";
    return std::move(out_);
  }

 private:
  void block(const Node& node, std::size_t indent) {
    for (const Node& item : node.items()) {
      out_.append(indent, ' ');
      out_ += "-";
      if (is_nested(item))
        in_dash(item, indent + 2);
      else
        out_ += " " + scalar(item) + "\n";
    }
    for (const Entry& entry : node.entries()) {
      out_.append(indent, ' ');
      out_ += text_or_quoted(entry.key) + ":";
      if (is_nested(entry.value)) {
        out_ += "\n";
        block(entry.value, indent + 2);
      } else {
        out_ += " " + scalar(entry.value) + "\n";
      }
    }
  }

  // What follows a dash begins on its line: the block's first indentation is the blank behind it.
  void in_dash(const Node& item, std::size_t indent) {
    const std::size_t start = out_.size();
    block(item, indent);
    out_.erase(start, indent - 1);
  }

  std::string out_;
};

}   // namespace

std::string to_yaml_block(const Node& tree) { return Writer().write(tree); }

}   // namespace lastro
