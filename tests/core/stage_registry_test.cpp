#include "core/stage_registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/json.h"
#include "infra/self/self_collective.h"
#include "support/no_checkpoints.h"
#include "tests/core/toy_stages.h"

namespace lastro {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Node run(const StageKind& kind, const ResolvedInputs& inputs) {
  SelfCollective ranks;
  OneWorker workers;
  SilentTracker tracker;
  test::NoCheckpoints checkpoints;
  RunContext context{ranks, workers, tracker, 1, {}, "", "", checkpoints, 0, [] { return false; }};
  Problems problems;
  return kind.run(context, kind.parse(Node(), "", {}, problems), inputs).summary;
}

ResolvedInput artifact(std::string port, ArtifactType type) { return {std::move(port), ResolvedArtifact{type, {}, "folder"}, {}}; }

TEST(StageRegistry, DerivesAStagesSignatureFromItsTypes) {
  const StageRegistry registry = toy::registry();

  const StageKind& evaluate = *registry.find("evaluate");
  EXPECT_EQ(evaluate.output, ArtifactType::eval_report);
  ASSERT_EQ(evaluate.inputs.size(), 3u);
  EXPECT_EQ(words_for(evaluate.inputs[0]), "a checkpoint, sft_model or policy");
  EXPECT_EQ(words_for(evaluate.inputs[2]), "an eval_report");
  EXPECT_TRUE(evaluate.inputs[2].is_optional);
  EXPECT_EQ(words_for(registry.find("dataset")->inputs[1]), "text sources");
  EXPECT_TRUE(registry.find("dataset")->inputs[2].is_optional);
  EXPECT_EQ(registry.find("serve"), nullptr);
}

TEST(StageRegistry, RefusesOneKindTwice) {
  StageRegistry registry = toy::registry();

  EXPECT_THROW(register_stage<toy::SftStage>(registry), InternalError);
}

TEST(StageKind, RunsItsStageWithTypedInputs) {
  const StageRegistry registry = toy::registry();

  EXPECT_EQ(to_json(run(*registry.find("vocabulary"), {{"text", {}, Sources(3)}})), R"({"size":2048,"sources":3})");
  EXPECT_EQ(to_json(run(*registry.find("evaluate"), {artifact("dataset", ArtifactType::dataset), artifact("model", ArtifactType::policy)})),
            R"({"model":"policy"})");
  EXPECT_EQ(to_json(run(*registry.find("pretrain"), {artifact("dataset", ArtifactType::dataset)})), R"({"continued":false})");
  EXPECT_EQ(to_json(run(*registry.find("pretrain"), {artifact("dataset", ArtifactType::dataset), artifact("start", ArtifactType::checkpoint)})),
            R"({"continued":true})");
}

TEST(StageKind, RefusesInputsThatThePlanShouldHaveRefused) {
  const StageRegistry registry = toy::registry();

  EXPECT_THROW(run(*registry.find("sft"), {artifact("base", ArtifactType::policy)}), InternalError);
  EXPECT_THROW(run(*registry.find("sft"), {}), InternalError);
  EXPECT_THROW(run(*registry.find("evaluate"), {artifact("model", ArtifactType::dataset), artifact("dataset", ArtifactType::dataset)}),
               InternalError);
}

struct SwappedStage : toy::Idle<Policy> {
  using Idle::Idle;
  static constexpr std::string_view kind = "swapped";
  static constexpr int version = 1;
  struct Inputs {
    Policy ppo;
    Policy dpo;
    static constexpr std::tuple ports{port("dpo", &Inputs::dpo), port("ppo", &Inputs::ppo)};
  };
  StageResult run(RunContext&, const Inputs&) const { return {}; }
};

TEST(StageKind, RefusesPortsInAnotherOrderThanTheInputs) {
  EXPECT_THROW(run(stage_kind<SwappedStage>(), {artifact("ppo", ArtifactType::policy), artifact("dpo", ArtifactType::policy)}), InternalError);
}

TEST(StageKind, ChecksFieldsAgainstEachOtherOnceEachIsRight) {
  const StageRegistry registry = toy::registry();
  Node given = Node::mapping();
  given.set("width", 100).mark = {7, 14};
  given.set("heads", 3);
  Problems problems;

  registry.find("pretrain")->parse(given, "", {"m.yaml", "04_pretrain.settings", {5, 3}}, problems);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].to_string(), "m.yaml:7:14: 04_pretrain.settings.width=100 (must be a multiple of heads=3)");

  given.set("heads", 0);
  problems.clear();
  registry.find("pretrain")->parse(given, "", {"m.yaml", "04_pretrain.settings", {5, 3}}, problems);
  EXPECT_EQ(problems.size(), 1u);
}

TEST(StageKind, MarksADefaultThatDoesNotFitAtWhatHoldsIt) {
  Node given = Node::mapping();
  given.set("heads", 3).mark = {7, 14};
  given.mark = {6, 5};
  Problems problems;

  toy::registry().find("pretrain")->parse(given, "", {"m.yaml", "04_pretrain.settings", {5, 3}}, problems);

  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].to_string(), "m.yaml:6:5: 04_pretrain.settings.width=256 (must be a multiple of heads=3)");
}

TEST(StageKind, StartsFromTheRecipeThatIsNamed) {
  Problems problems;
  Node given = Node::mapping();
  given.set("steps", 7);

  const Node settings = toy::registry().find("pretrain")->parse(given, "large", {}, problems);

  EXPECT_EQ(to_json(settings), R"({"width":4096,"heads":32,"steps":7,"recompute":false})");
  EXPECT_THAT(problems, IsEmpty());
}

}   // namespace
}   // namespace lastro
