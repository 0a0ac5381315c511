#include "core/overrides.h"

#include <algorithm>
#include <charconv>

#include "core/record_keys.h"
#include "core/settings.h"
#include "core/yaml.h"

namespace lastro {
namespace {

// No file has a line below 1, so these say which assignment a node is from.
Mark mark_of(std::size_t assignment) { return {-1 - static_cast<int>(assignment), 1}; }

Node marked(Node node, Mark mark) {
  if (node.is_sequence()) {
    Node::Sequence items;
    for (const Node& item : node.items()) items.push_back(marked(item, mark));
    node = Node(std::move(items));
  } else if (node.is_mapping()) {
    Node::Mapping entries;
    for (const Entry& entry : node.entries()) entries.push_back({entry.key, marked(entry.value, mark), mark});
    node = Node(std::move(entries));
  }
  node.mark = mark;
  return node;
}

// YAML, but for a text that begins as ">= 1" does: in a file that opens a text of several lines, of which an assignment has none. What cannot be
// read is false, as in a file.
Node value_of(std::string_view text, Problems& problems) {
  if (text.starts_with('>') || text.starts_with('|')) return Node(text);
  Node value = parse_yaml(text, "", problems);
  return problems.empty() || !value.is_null() ? value : Node(false);
}

// The tree with `value` at `path`; trees are values, so what lies on the path is made anew. Empty, with a reason, where the path leads nowhere.
class Assignment {
 public:
  Assignment(Node value, Mark mark) : value_(std::move(value)), mark_(mark) {}

  Node laid_over(const Node& tree, std::string_view path) {
    if (path.empty()) return value_;
    const std::size_t dot = std::min(path.find('.'), path.size());
    const std::string_view part = path.substr(0, dot), rest = path.substr(std::min(dot + 1, path.size()));
    if (tree.is_sequence()) return over_item(tree, part, rest);
    if (!tree.is_mapping() && !tree.is_null()) return fail(tree, part, shown(tree) + " holds no fields");
    return over_entry(tree, part, rest);
  }

  const std::string& failure() const { return failure_; }

 private:
  Node over_item(const Node& tree, std::string_view part, std::string_view rest) {
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), index);
    const std::size_t count = tree.items().size();
    if (error != std::errc() || end != part.data() + part.size() || index >= count)
      return fail(tree, part, "it is a list of " + std::to_string(count) + ", whose items are named by number from 0");
    Node::Sequence items = tree.items();
    items[index] = laid_over(items[index], rest);
    return kept_mark(Node(std::move(items)), tree);
  }

  Node over_entry(const Node& tree, std::string_view part, std::string_view rest) {
    Node::Mapping entries = tree.entries();
    for (Entry& entry : entries) {
      if (entry.key != part) continue;
      entry.value = laid_over(entry.value, rest);
      return kept_mark(Node(std::move(entries)), tree);
    }
    entries.push_back({std::string(part), laid_over(Node(), rest), mark_});
    return kept_mark(Node(std::move(entries)), tree);
  }

  Node kept_mark(Node node, const Node& before) const {
    node.mark = before.mark == Mark{} ? mark_ : before.mark;
    return node;
  }

  Node fail(const Node& tree, std::string_view part, const std::string& reason) {
    failure_ = "there is no \"" + std::string(part) + "\" to set (" + reason + ")";
    return tree;
  }

  Node value_;
  Mark mark_;
  std::string failure_;
};

// What a run writes into its record cannot be wished for.
bool is_of_the_record(std::string_view path) {
  const auto first_of = [&] {
    const std::string_view part = path.substr(0, path.find('.'));
    path.remove_prefix(std::min(path.size(), part.size() + 1));
    return part;
  };
  const auto is_one_of = [](std::string_view key, const auto& keys) { return std::find(keys.begin(), keys.end(), key) != keys.end(); };
  const std::string_view part = first_of();
  if (part != "stages") return is_one_of(part, recorded_run_keys);
  first_of();
  return is_one_of(first_of(), recorded_stage_keys);
}

// The same of a mapping that is laid down whole, at any depth of it. The path that is to blame, or empty.
std::string recorded_part(const std::string& path, const Node& value) {
  if (is_of_the_record(path)) return path;
  if (value.is_mapping())
    for (const Entry& entry : value.entries())
      if (std::string part = recorded_part(path + "." + entry.key, entry.value); !part.empty()) return part;
  return "";
}

}   // namespace

void assign(Node& tree, const std::vector<std::string>& assignments, Problems& problems) {
  for (std::size_t i = 0; i < assignments.size(); ++i) {
    const std::string& text = assignments[i];
    const std::size_t equals = text.find('=');
    const auto refuse = [&](std::string message) { problems.push_back({"", mark_of(i), std::move(message)}); };
    if (equals == 0 || equals == text.npos || text.front() == '.' || text[equals - 1] == '.' || text.substr(0, equals).find("..") != text.npos) {
      refuse("not an assignment (write --set sources.prose.path=my.txt)");
      continue;
    }
    Problems of_value;
    const Node value = value_of(std::string_view(text).substr(equals + 1), of_value);
    for (const Problem& problem : of_value) refuse("the value: " + problem.message);
    if (const std::string part = recorded_part(text.substr(0, equals), value); !part.empty()) {
      refuse(part +
             " is a key of the record, manifest.out.yaml (a run writes it and no manifest asks for it). Set what the stage is made of instead");
      continue;
    }
    Assignment assignment(marked(value, mark_of(i)), mark_of(i));
    tree = assignment.laid_over(tree, std::string_view(text).substr(0, equals));
    if (!assignment.failure().empty()) refuse(assignment.failure());
  }
}

bool is_assigned(Mark mark) { return mark.line < 0; }

void name_assignments(Problems& problems, const std::vector<std::string>& assignments) {
  for (Problem& problem : problems) {
    const auto index = static_cast<std::size_t>(-1 - problem.mark.line);
    if (!is_assigned(problem.mark) || index >= assignments.size()) continue;
    problem.file = "--set " + assignments[index];
    problem.mark = {};
  }
}

}   // namespace lastro
