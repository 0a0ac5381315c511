#include <gmock/gmock.h>

#include <fstream>

#include "app/commands.h"
#include "app/planning.h"
#include "core/json.h"
#include "domain/errors.h"
#include "run_example.h"

namespace lastro {
namespace {

using testing::ElementsAre;
namespace fs = std::filesystem;

// A run whose two stages are in the store under the keys that planning gives them.
struct PlannedRun : RunExample {
  PlannedRun() {
    std::ofstream(folder / "prose.txt") << "Once upon a time.\n";
    std::ofstream(folder / "m.yaml") << "name: example\nsources:\n  prose: {path: " + (folder / "prose.txt").string() +
                                            "}\nstages:\n  01_vocabulary: {kind: vocabulary, inputs: {text: prose}}\n"
                                            "  02_tokenizer: {kind: tokenizer, inputs: {vocabulary: 01_vocabulary}}\n";
    RunPlanner planner({.subject = folder / "m.yaml", .run = run, .store = store.root()});
    RunRecord record = RunRecord::begin(run, planner.resolved_manifest());
    for (const ArtifactType type : {ArtifactType::vocabulary, ArtifactType::tokenizer}) {
      const auto next = planner.next_stage();
      write_file(store.begin(next->order.key) / "content.txt", next->order.stage);
      ArtifactRecord made{.type = type, .files = {{"content.txt", next->order.stage.size(), sha256(next->order.stage)}}};
      made.digest = digest_of_files(type, made.files);
      store.commit(made, {.key = next->order.key, .artifact = made.digest, .recipe = next->recipe});
    }
    planner.enter_known(record);
  }

  std::vector<std::string> roll_back(const std::string& stage, bool dry_run = false) {
    testing::internal::CaptureStdout();
    EXPECT_EQ(rollback_command({.subject = run, .store = store.root(), .json = true, .stage = stage, .dry_run = dry_run}), 0);
    std::vector<std::string> names;
    const Node report = parse_json(testing::internal::GetCapturedStdout(), "stdout");
    for (const Node& name : report.at("stages").items()) names.push_back(name.text());
    return names;
  }

  std::optional<Digest> output_of(const std::string& stage) { return RunRecord::load(run)->output_of(stage); }
};

TEST(RollbackCommand, ForgetsAStageAndWhatBuildsOnIt) {
  PlannedRun example;
  const Digest vocabulary = *example.output_of("01_vocabulary");

  EXPECT_THAT(example.roll_back("01_vocabulary"), ElementsAre("01_vocabulary", "02_tokenizer"));

  EXPECT_FALSE(example.output_of("01_vocabulary"));
  EXPECT_FALSE(example.output_of("02_tokenizer"));
  EXPECT_THAT(example.store.keys(), testing::IsEmpty());
  EXPECT_TRUE(example.store.find_artifact(vocabulary)) << "artifacts stay";
}

TEST(RollbackCommand, LeavesWhatComesBefore) {
  PlannedRun example;

  EXPECT_THAT(example.roll_back("02_tokenizer"), ElementsAre("02_tokenizer"));

  EXPECT_TRUE(example.output_of("01_vocabulary"));
  EXPECT_EQ(example.store.keys().size(), 1u);
}

TEST(RollbackCommand, ChangesNothingInADryRun) {
  PlannedRun example;

  EXPECT_THAT(example.roll_back("01_vocabulary", true), ElementsAre("01_vocabulary", "02_tokenizer"));

  EXPECT_TRUE(example.output_of("02_tokenizer"));
  EXPECT_EQ(example.store.keys().size(), 2u);
}

TEST(RollbackCommand, RefusesAStageOrARunThatIsNotThere) {
  PlannedRun example;
  EXPECT_THROW(rollback_command({.subject = example.run, .store = example.store.root(), .stage = "07_ppo"}), UsageError);
  EXPECT_THROW(rollback_command({.subject = example.folder / "nowhere", .stage = "01_vocabulary"}), UsageError);
}

}   // namespace
}   // namespace lastro
