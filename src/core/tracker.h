#pragma once

#include <string_view>

#include "domain/node.h"

namespace lastro {

// Where a stage tells what it is doing. Only rank 0's words are shown; every rank may speak.
class Tracker {
 public:
  virtual ~Tracker() = default;

  // A line of the stage's log: something happened that a reader should know (a damaged checkpoint was passed over, a step was skipped).
  virtual void event(std::string_view text) = 0;

  // How far a stage is. `done` and `total` in `unit` ("documents", "steps"); `detail` is short free text for the live line.
  virtual void progress(std::int64_t done, std::int64_t total, std::string_view unit, std::string_view detail = "") = 0;

  // One line of metrics.jsonl: a flat mapping, e.g. {step, loss, learning_rate, gradient_norm, tokens_per_s}.
  virtual void metrics(const Node& values) = 0;
};

class SilentTracker final : public Tracker {
 public:
  void event(std::string_view) override {}
  void progress(std::int64_t, std::int64_t, std::string_view, std::string_view) override {}
  void metrics(const Node&) override {}
};

}   // namespace lastro
