#include "core/diff.h"

#include <array>
#include <string_view>

#include "core/settings.h"

namespace lastro {
namespace {

// At the top of a record, and in each of its stages.
constexpr std::array<std::string_view, 7> free_run_keys{"git_commit", "store", "reference", "totals", "differences", "machine", "verdict"};
constexpr std::array<std::string_view, 9> free_stage_keys{"status",   "from_store", "wall_clock_sec", "cost_usd", "spent_sec",
                                                          "measured", "cause",      "invalidates",    "expect"};

void collect(const std::string& path, const Node& was, const Node& is, std::vector<Difference>& found) {
  const auto below = [&path](std::string_view key) { return path.empty() ? std::string(key) : path + "." + std::string(key); };
  if (was.is_mapping() && is.is_mapping()) {
    for (const Entry& entry : was.entries()) collect(below(entry.key), entry.value, is.find(entry.key) ? is.at(entry.key) : Node(), found);
    for (const Entry& entry : is.entries())
      if (!was.find(entry.key)) collect(below(entry.key), Node(), entry.value, found);
  } else if (was.is_sequence() && is.is_sequence() && was.items().size() == is.items().size()) {
    for (std::size_t i = 0; i < was.items().size(); ++i) collect(path + "[" + std::to_string(i) + "]", was.items()[i], is.items()[i], found);
  } else if (!(was == is)) {
    found.push_back({path, was, is});
  }
}

Node what_must_agree(const Node& record) {
  Node kept = record.without(free_run_keys);
  Node stages = Node::mapping();
  if (const Node* recorded = record.find("stages"))
    for (const Entry& stage : recorded->entries()) stages.set(stage.key, stage.value.without(free_stage_keys));
  kept.set("stages", std::move(stages));
  return kept;
}

}   // namespace

std::string Difference::to_string() const {
  if (was.is_null()) return path + " is new (" + shown(is) + ")";
  if (is.is_null()) return path + " was " + shown(was) + ", is gone";
  return path + " was " + shown(was) + ", is " + shown(is);
}

std::vector<Difference> differences(const Node& was, const Node& is) {
  std::vector<Difference> found;
  collect("", was, is, found);
  return found;
}

std::vector<Difference> record_differences(const Node& reference, const Node& record) {
  std::vector<Difference> found = differences(what_must_agree(reference), what_must_agree(record));
  const auto answer = [](const Node& tree) {
    const Node* verdict = tree.find("verdict");
    const Node* word = verdict ? verdict->find("answer") : nullptr;
    return word ? *word : Node();
  };
  collect("verdict.answer", answer(reference), answer(record), found);
  return found;
}

}   // namespace lastro
