#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/settings.h"
#include "domain/ids.h"
#include "domain/node.h"

namespace lastro {

// When a step's loss or gradient norm is too odd to be applied. Loss in nats a token; statistics are over the last `window` applied steps,
// and nothing but infinities and NaN is odd before half of it is filled.
//   loss spike:  loss > mean + max(sigmas x deviation, loss_rise)
//   norm spike:  norm > mean + max(sigmas x deviation, norm_rise x mean)
struct GuardSettings {
  std::int64_t window = 64;
  double sigmas = 6.0;
  double loss_rise = 0.5;
  double norm_rise = 8.0;
  std::int64_t skips_in_a_row = 8;
  std::int64_t back_steps = 20;
  std::int64_t roll_backs = 2;

  bool operator==(const GuardSettings&) const = default;
  static constexpr std::tuple fields{
      field("window", &GuardSettings::window,
            {.doc = "applied steps whose loss and gradient norm say what is usual", .unit = "steps", .min = 2, .max = 100000}),
      field("sigmas", &GuardSettings::sigmas, {.doc = "how many standard deviations above the mean a spike begins", .min = 1}),
      field("loss_rise", &GuardSettings::loss_rise,
            {.doc = "the least rise of the loss above its mean that is a spike", .unit = "nats a token", .min = 0}),
      field("norm_rise", &GuardSettings::norm_rise,
            {.doc = "the least rise of the gradient norm above its mean that is a spike, as a share of the mean", .min = 0}),
      field("skips_in_a_row", &GuardSettings::skips_in_a_row,
            {.doc = "so many skipped steps in a row, and training rolls back", .unit = "steps", .min = 1}),
      field("back_steps", &GuardSettings::back_steps,
            {.doc = "how far before the first skipped step it rolls back; the data from there on is left out", .unit = "steps", .min = 0}),
      field("roll_backs", &GuardSettings::roll_backs, {.doc = "so many times; after that, training has diverged", .min = 0, .max = 1000})};
};

// Watches loss and gradient norm. Its inputs are equal on all ranks, so are its answers: every rank skips the same step. A skipped step
// changes neither weights nor optimizer; its data is spent.
class Guard {
 public:
  enum class Finding { usual, non_finite, loss_spike, norm_spike };

  struct Skip {
    std::int64_t step = 0;        // that was skipped, counted from 0
    std::int64_t data_step = 0;   // whose data it would have learnt from
    Finding finding = Finding::usual;
    bool operator==(const Skip&) const = default;
  };

  explicit Guard(GuardSettings settings);

  // Judges a step before it is applied and remembers the answer. 1: apply it; 0: skip it.
  int factor(std::int64_t step, std::int64_t data_step, double loss, double gradient_norm);

  // Whether the last answers were as many skips in a row as the settings bear.
  bool must_roll_back() const { return skips_in_a_row_ >= settings_.skips_in_a_row; }
  std::int64_t skips_in_a_row() const { return skips_in_a_row_; }
  const std::vector<Skip>& skips() const { return skips_; }

  // Everything mutable, for a checkpoint, and back. from_node throws ContractError when the node is not what to_node writes.
  Node to_node() const;
  void from_node(const Node& node);

 private:
  Finding judge(double loss, double gradient_norm) const;

  GuardSettings settings_;
  std::vector<double> losses_;   // a ring of the last `window` applied steps; place of entry i is i mod window
  std::vector<double> norms_;
  std::int64_t applied_ = 0;
  std::int64_t skips_in_a_row_ = 0;
  std::vector<Skip> skips_;   // the ledger, ascending
};

std::string_view name_of(Guard::Finding finding);

}   // namespace lastro
