#include "train/progress.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "core/json.h"
#include "domain/errors.h"

namespace lastro {
namespace {

TrainProgress some_progress() {
  TrainProgress progress{GuardSettings{}};
  progress.steps = 12;
  progress.updates = 9;
  progress.last_loss = 0.1;
  progress.last_norm = 1.5;
  progress.roll_backs = {{4, 4, 9}, {2, 2, 17}};
  progress.guard.factor(0, 0, 3.25, 1.5);
  progress.guard.factor(1, 1, 1.0 / 0.0, 1.5);
  return progress;
}

TEST(TrainProgress, ComesBackWholeFromJson) {
  const TrainProgress progress = some_progress();
  TrainProgress restored{GuardSettings{}};

  restored.from_node(parse_json(to_json(progress.to_node()), "checkpoint"));

  EXPECT_EQ(restored.steps, 12);
  EXPECT_EQ(restored.updates, 9);
  EXPECT_EQ(restored.last_loss, 0.1);
  EXPECT_EQ(restored.last_norm, 1.5);
  EXPECT_EQ(restored.roll_backs, progress.roll_backs);
  EXPECT_EQ(restored.guard.to_node(), progress.guard.to_node());
}

TEST(TrainProgress, RefusesAnotherFormat) {
  Node node = some_progress().to_node();
  node.set("format", 0);

  EXPECT_THROW(TrainProgress{GuardSettings{}}.from_node(node), ContractError);
  EXPECT_THROW(TrainProgress{GuardSettings{}}.from_node(Node::mapping()), ContractError);
}

TEST(DataStep, IsTheStepWhereNothingWasLeftOut) {
  for (std::int64_t step = 0; step < 5; ++step) EXPECT_EQ(data_step_of(step, {}), step);
}

TEST(DataStep, PassesOverWhatARollBackLeavesOut) {
  const std::vector<RollBack> roll_backs{{10, 10, 16}};

  EXPECT_EQ(data_step_of(9, roll_backs), 9);
  EXPECT_EQ(data_step_of(10, roll_backs), 16);
  EXPECT_EQ(data_step_of(11, roll_backs), 17);
}

TEST(DataStep, PassesOverTwoRangesFromTheSameStep) {
  const std::vector<RollBack> roll_backs{{10, 10, 16}, {10, 16, 20}};

  EXPECT_EQ(data_step_of(10, roll_backs), 20);
}

TEST(DataStep, ForgetsARollBackOfAWayThatWasLeft) {
  // At step 10 training once went on with data 16; later it left already at step 8, with data 30, and comes to step 10 with data 32.
  const std::vector<RollBack> roll_backs{{10, 10, 16}, {8, 8, 30}};

  EXPECT_EQ(data_step_of(8, roll_backs), 30);
  EXPECT_EQ(data_step_of(10, roll_backs), 32);
}

// Names of members in a source file: words that end in '_' before ';', '=' or '{' at the end of a declaration.
std::set<std::string> members_of(const std::string& file) {
  std::ifstream in(std::string(LASTRO_SOURCE_DIR) + "/src/train/" + file);
  EXPECT_TRUE(in.good()) << file;
  static const std::regex member(R"(^  [A-Za-z][\w:<>,& *]* ([a-z][a-z0-9_]*_)( = [^;]*|\{[^;]*\})?;.*$)");
  std::set<std::string> names;
  std::smatch match;
  for (std::string line; std::getline(in, line);)
    if (std::regex_match(line, match, member)) names.insert(match[1]);
  return names;
}

// What becomes of each member at a restart. A new member makes this test fail until it is said here.
enum class Kind { fixed, saved, derived };
using Kinds = std::map<std::string, Kind>;

void expect_every_member_is_declared(const std::string& file, const Kinds& kinds) {
  const std::set<std::string> members = members_of(file);
  for (const std::string& name : members) EXPECT_TRUE(kinds.contains(name)) << file << ": " << name << " is neither saved nor declared derived";
  for (const auto& [name, kind] : kinds) EXPECT_TRUE(members.contains(name)) << file << " has no " << name;
}

TEST(MutableState, OfTheEngineIsSavedOrDerived) {
  expect_every_member_is_declared("engine.h", {{"ranks_", Kind::fixed},
                                               {"workers_", Kind::fixed},
                                               {"shape_", Kind::fixed},
                                               {"layout_", Kind::fixed},
                                               {"cuts_", Kind::fixed},
                                               {"micro_steps_", Kind::fixed},
                                               {"loss_bytes_", Kind::fixed},
                                               {"tile_bytes_", Kind::fixed},
                                               {"decay_parts_", Kind::fixed},
                                               {"weights_memory_", Kind::saved},   // through its views: planes of the checkpoint
                                               {"weight_shards_", Kind::saved},
                                               {"optimizer_memory_", Kind::saved},
                                               {"m_shards_", Kind::saved},
                                               {"v_shards_", Kind::saved},
                                               // Between two steps the rest holds nothing that the next step reads before it writes it.
                                               {"gradients_memory_", Kind::derived},
                                               {"gradient_shards_", Kind::derived},
                                               {"gradient_unit_memory_", Kind::derived},
                                               {"gradient_unit_", Kind::derived},
                                               {"tied_gradient_", Kind::derived},
                                               {"reductions_memory_", Kind::derived},
                                               {"leaf_tokens_", Kind::derived},
                                               {"inputs_", Kind::derived},
                                               {"targets_", Kind::derived},
                                               {"loss_weights_", Kind::fixed},
                                               {"logprobs_", Kind::derived},
                                               {"my_losses_", Kind::derived},
                                               {"all_losses_", Kind::derived},
                                               {"my_tile_sums_", Kind::derived},
                                               {"all_tile_sums_", Kind::derived},
                                               {"tree_", Kind::derived},
                                               {"window_", Kind::derived},
                                               {"pass_", Kind::derived},
                                               {"sum_of_squares_", Kind::derived}});
  expect_every_member_is_declared("unit_window.h", {{"world_", Kind::fixed},
                                                    {"mine_", Kind::fixed},
                                                    {"unit_elements_", Kind::fixed},
                                                    {"elements_", Kind::fixed},
                                                    {"bytes_", Kind::fixed},
                                                    {"tiles_", Kind::fixed},
                                                    {"tile_begins_", Kind::fixed},
                                                    {"ranks_", Kind::fixed},
                                                    {"cuts_", Kind::fixed},
                                                    {"shape_", Kind::fixed},
                                                    {"shards_", Kind::fixed},
                                                    {"memory_", Kind::derived},
                                                    {"buffers_", Kind::derived},
                                                    {"held_", Kind::derived}});
}

TEST(MutableState, OfTheGuardIsSaved) {
  const Kinds kinds{{"settings_", Kind::fixed}, {"losses_", Kind::saved},         {"norms_", Kind::saved},
                    {"applied_", Kind::saved},  {"skips_in_a_row_", Kind::saved}, {"skips_", Kind::saved}};
  expect_every_member_is_declared("guard.h", kinds);

  const Node node = some_progress().guard.to_node();
  for (const auto& [name, kind] : kinds) {
    if (kind == Kind::saved) {
      EXPECT_NE(node.find(name.substr(0, name.size() - 1)), nullptr) << name;
    }
  }
}

TEST(MutableState, OfTheTrainerIsSavedOrDerived) {
  expect_every_member_is_declared("trainer.cpp", {{"run_", Kind::fixed},
                                                  {"settings_", Kind::fixed},
                                                  {"source_", Kind::fixed},
                                                  {"engine_", Kind::saved},
                                                  {"progress_", Kind::saved},
                                                  {"saved_steps_", Kind::derived},
                                                  {"attempts_", Kind::derived},
                                                  // Measured speed: never part of a result.
                                                  {"speed_", Kind::derived},
                                                  {"flops_per_step_", Kind::fixed},
                                                  {"tokens_per_step_", Kind::fixed},
                                                  {"peak_flops_", Kind::derived},
                                                  {"last_seconds_", Kind::derived},
                                                  {"seconds_", Kind::derived},
                                                  {"steps_", Kind::derived}});
}

TEST(MutableState, OfTheProgressIsSaved) {
  // A field more, and this no longer compiles: write it into to_node and from_node, then here.
  const TrainProgress progress = some_progress();
  const auto& [steps, updates, last_loss, last_norm, roll_backs, guard] = progress;

  const Node node = progress.to_node();
  EXPECT_EQ(node.at("steps").integer(), steps);
  EXPECT_EQ(node.at("updates").integer(), updates);
  EXPECT_EQ(node.at("last_loss").number(), last_loss);
  EXPECT_EQ(node.at("last_norm").number(), last_norm);
  EXPECT_EQ(node.at("roll_backs").items().size(), roll_backs.size());
  EXPECT_EQ(node.at("guard"), guard.to_node());
  EXPECT_EQ(node.entries().size(), 7u);   // and the format
}

}   // namespace
}   // namespace lastro
