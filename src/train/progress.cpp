#include "train/progress.h"

#include <algorithm>

#include "domain/errors.h"

namespace lastro {
namespace {

constexpr std::int64_t format = 1;

void check_format(const Node& node) {
  const Node* found = node.find("format");
  if (found == nullptr || found->as<std::int64_t>() == nullptr || found->integer() != format)
    throw ContractError("a checkpoint's training state is of another format (this version reads format " + std::to_string(format) +
                        ") start again in a new run directory, or go on with the version that wrote it");
}

}   // namespace

Node TrainProgress::to_node() const {
  Node node = Node::mapping();
  node.set("format", format);
  node.set("steps", steps);
  node.set("updates", updates);
  node.set("last_loss", last_loss);
  node.set("last_norm", last_norm);
  Node& list = node.set("roll_backs", Node::sequence());
  for (const RollBack& roll_back : roll_backs) {
    Node entry = Node::mapping();
    entry.set("to_step", roll_back.to_step);
    entry.set("data_begin", roll_back.data_begin);
    entry.set("data_end", roll_back.data_end);
    list.push(std::move(entry));
  }
  node.set("guard", guard.to_node());
  return node;
}

void TrainProgress::from_node(const Node& node) {
  check_format(node);
  steps = node.at("steps").integer();
  updates = node.at("updates").integer();
  last_loss = node.at("last_loss").number();
  last_norm = node.at("last_norm").number();
  roll_backs.clear();
  for (const Node& entry : node.at("roll_backs").items())
    roll_backs.push_back({entry.at("to_step").integer(), entry.at("data_begin").integer(), entry.at("data_end").integer()});
  guard.from_node(node.at("guard"));
}

// A roll-back counts only on the way that it was decided on: its step then has its data. An earlier one may lie on a way that a later one left.
std::int64_t data_step_of(std::int64_t step, const std::vector<RollBack>& roll_backs) {
  std::vector<RollBack> in_order_of_steps = roll_backs;
  std::stable_sort(in_order_of_steps.begin(), in_order_of_steps.end(), [](const RollBack& a, const RollBack& b) { return a.to_step < b.to_step; });
  std::int64_t left_out = 0;
  for (const RollBack& roll_back : in_order_of_steps)
    if (roll_back.to_step <= step && roll_back.to_step + left_out == roll_back.data_begin) left_out += roll_back.data_end - roll_back.data_begin;
  return step + left_out;
}

}   // namespace lastro
