#pragma once

#include <filesystem>
#include <optional>

#include "core/checkpoint.h"

namespace lastro::test {

// For stages that go on from nothing and leave nothing.
class NoCheckpoints final : public Checkpoints {
 public:
  void save(Step, const Node&, const StateView&) override {}
  std::optional<Node> load_newest(const StateView&) override { return std::nullopt; }
  std::optional<Node> roll_back(Step, const StateView&) override { return std::nullopt; }
  std::optional<Step> finish() override { return std::nullopt; }
  Digest publish(Step, const std::filesystem::path&) override { return {}; }
};

}   // namespace lastro::test
