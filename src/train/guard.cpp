#include "train/guard.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "domain/errors.h"

namespace lastro {
namespace {

constexpr std::array finding_names{std::string_view("usual"), std::string_view("non_finite"), std::string_view("loss_spike"),
                                   std::string_view("norm_spike")};

struct Usual {
  double mean = 0;
  double deviation = 0;
};

// In the order of steps, so that a ring restored from a checkpoint gives the same bits as one that was never saved.
Usual usual_of(const std::vector<double>& ring, std::int64_t applied) {
  const auto window = static_cast<std::int64_t>(ring.size());
  const std::int64_t first = std::max<std::int64_t>(0, applied - window);
  const auto count = static_cast<double>(applied - first);
  double sum = 0;
  for (std::int64_t i = first; i < applied; ++i) sum += ring[i % window];
  const double mean = sum / count;
  double squares = 0;
  for (std::int64_t i = first; i < applied; ++i) squares = std::fma(ring[i % window] - mean, ring[i % window] - mean, squares);
  return {mean, std::sqrt(squares / count)};
}

Node ring_to_node(const std::vector<double>& ring, std::int64_t applied) {
  Node node = Node::sequence();
  const auto window = static_cast<std::int64_t>(ring.size());
  for (std::int64_t i = std::max<std::int64_t>(0, applied - window); i < applied; ++i) node.push(ring[i % window]);
  return node;
}

void ring_from_node(const Node& node, std::int64_t applied, std::vector<double>& ring) {
  const auto window = static_cast<std::int64_t>(ring.size());
  const auto count = static_cast<std::int64_t>(node.items().size());
  if (count != std::min(applied, window))
    throw ContractError("the guard's window has " + std::to_string(count) + " entries after " + std::to_string(applied) +
                        " applied steps (the checkpoint is not of this stage's settings)");
  for (std::int64_t i = 0; i < count; ++i) ring[(applied - count + i) % window] = node.items()[i].number();
}

Guard::Finding finding_of(std::string_view name) {
  const auto place = std::find(finding_names.begin(), finding_names.end(), name);
  if (place == finding_names.end()) throw ContractError("a skipped step with reason '" + std::string(name) + "' (unknown to this version)");
  return static_cast<Guard::Finding>(place - finding_names.begin());
}

}   // namespace

std::string_view name_of(Guard::Finding finding) { return finding_names[static_cast<std::size_t>(finding)]; }

Guard::Guard(GuardSettings settings) : settings_(settings), losses_(settings.window), norms_(settings.window) {}

int Guard::factor(std::int64_t step, std::int64_t data_step, double loss, double gradient_norm) {
  const Finding finding = judge(loss, gradient_norm);
  if (finding != Finding::usual) {
    skips_.push_back({step, data_step, finding});
    ++skips_in_a_row_;
    return 0;
  }
  losses_[applied_ % settings_.window] = loss;
  norms_[applied_ % settings_.window] = gradient_norm;
  ++applied_;
  skips_in_a_row_ = 0;
  return 1;
}

Guard::Finding Guard::judge(double loss, double gradient_norm) const {
  if (!std::isfinite(loss) || !std::isfinite(gradient_norm)) return Finding::non_finite;
  if (applied_ < (settings_.window + 1) / 2) return Finding::usual;
  const Usual losses = usual_of(losses_, applied_);
  if (loss > losses.mean + std::max(settings_.sigmas * losses.deviation, settings_.loss_rise)) return Finding::loss_spike;
  const Usual norms = usual_of(norms_, applied_);
  if (gradient_norm > norms.mean + std::max(settings_.sigmas * norms.deviation, settings_.norm_rise * norms.mean)) return Finding::norm_spike;
  return Finding::usual;
}

Node Guard::to_node() const {
  Node node = Node::mapping();
  node.set("applied", applied_);
  node.set("losses", ring_to_node(losses_, applied_));
  node.set("norms", ring_to_node(norms_, applied_));
  node.set("skips_in_a_row", skips_in_a_row_);
  Node& skips = node.set("skips", Node::sequence());
  for (const Skip& skip : skips_) {
    Node entry = Node::mapping();
    entry.set("step", skip.step);
    entry.set("data_step", skip.data_step);
    entry.set("reason", name_of(skip.finding));
    skips.push(std::move(entry));
  }
  return node;
}

void Guard::from_node(const Node& node) {
  applied_ = node.at("applied").integer();
  ring_from_node(node.at("losses"), applied_, losses_);
  ring_from_node(node.at("norms"), applied_, norms_);
  skips_in_a_row_ = node.at("skips_in_a_row").integer();
  skips_.clear();
  for (const Node& entry : node.at("skips").items())
    skips_.push_back({entry.at("step").integer(), entry.at("data_step").integer(), finding_of(entry.at("reason").text())});
}

}   // namespace lastro
