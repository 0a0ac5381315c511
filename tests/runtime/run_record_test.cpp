#include "runtime/run_record.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>

#include "core/files.h"
#include "core/hash.h"
#include "core/yaml.h"
#include "domain/errors.h"
#include "tests/support/temporary_folder.h"

namespace lastro {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
namespace fs = std::filesystem;

Node tree_of(const std::string& yaml) {
  Problems problems;
  Node tree = parse_yaml(yaml, "test.yaml", problems);
  EXPECT_TRUE(problems.empty());
  return tree;
}

const std::string two_stages = "name: dev\nstages:\n  01_vocabulary: {kind: vocabulary}\n  02_tokenizer: {kind: tokenizer}\n";

StageOutcome outcome(const std::string& stage, double cost_usd = 0.25) {
  return {
      .stage = stage, .key = sha256("key"), .inputs = {{"text", sha256("text")}}, .output = sha256(stage), .wall_clock_s = 1.5, .cost_usd = cost_usd};
}

std::vector<std::string> history_of(const fs::path& run) {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(run / "history", none)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

TEST(RunRecord, IsNotThereBeforeARun) {
  const TemporaryFolder run;
  EXPECT_FALSE(RunRecord::load(run.path()));
}

TEST(RunRecord, KeepsWhatAnEqualManifestsRecordKnows) {
  const TemporaryFolder run;
  RunRecord::begin(run.path(), tree_of(two_stages)).stage_done(outcome("01_vocabulary"));

  const RunRecord again = RunRecord::begin(run.path(), tree_of(two_stages));

  EXPECT_EQ(again.output_of("01_vocabulary"), sha256("01_vocabulary"));
  EXPECT_THAT(history_of(run.path()), IsEmpty());
}

TEST(RunRecord, MovesTheRecordOfAnotherManifestToHistory) {
  const TemporaryFolder run;
  RunRecord::begin(run.path(), tree_of(two_stages)).stage_done(outcome("01_vocabulary"));
  const std::string before = read_file(run / "manifest.out.yaml");

  const RunRecord changed = RunRecord::begin(run.path(), tree_of(two_stages + "seed: 7\n"));
  RunRecord::begin(run.path(), tree_of(two_stages + "seed: 8\n"));

  EXPECT_FALSE(changed.output_of("01_vocabulary"));
  EXPECT_THAT(history_of(run.path()), ElementsAre("manifest.out-1.yaml", "manifest.out-2.yaml"));
  EXPECT_EQ(read_file(run / "history/manifest.out-1.yaml"), before);
  EXPECT_EQ(RunRecord::history(run.path()).size(), 2u);
}

TEST(RunRecord, KeepsADamagedRecordInHistory) {
  const TemporaryFolder run;
  std::ofstream(run / "manifest.out.yaml") << "stages: {";

  EXPECT_THROW(RunRecord::load(run.path()), ContractError);
  RunRecord::begin(run.path(), tree_of(two_stages));

  EXPECT_EQ(read_file(run / "history/manifest.out-1.yaml"), "stages: {");
  EXPECT_TRUE(RunRecord::load(run.path()));
}

TEST(RunRecord, ReadsAsARecordOnlyWhenItIsWhole) {
  const TemporaryFolder run;
  RunRecord::begin(run.path(), tree_of(two_stages)).stage_done(outcome("01_vocabulary"));
  const std::string whole = read_file(run / "manifest.out.yaml");

  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
    std::ofstream(run / "manifest.out.yaml") << whole.substr(0, bytes);
    ASSERT_THROW(RunRecord::load(run.path()), ContractError) << "after " << bytes << " bytes";
    ASSERT_THROW(RunRecord::read(run / "manifest.out.yaml"), ContractError) << "after " << bytes << " bytes";
  }
  std::ofstream(run / "manifest.out.yaml") << whole;
  EXPECT_EQ(RunRecord::load(run.path())->tree(), RunRecord::read(run / "manifest.out.yaml"));
}

TEST(RunRecord, ReadsAnotherRunsNumbersFromAPlainFileToo) {
  const TemporaryFolder folder;
  std::ofstream(folder / "earlier.yaml") << two_stages;
  std::ofstream(folder / "words.yaml") << "just words\n";

  EXPECT_EQ(RunRecord::read(folder / "earlier.yaml"), tree_of(two_stages));
  EXPECT_THROW(RunRecord::read(folder / "words.yaml"), ContractError);
}

TEST(RunRecord, TakesItsVerdictBackWhenAStageChanges) {
  const TemporaryFolder run;
  RunRecord record = RunRecord::begin(run.path(), tree_of(two_stages));
  record.stage_done(outcome("01_vocabulary"));
  record.verdict(tree_of("{answer: SHIP}"));

  record.stage_rolled_back("01_vocabulary");

  EXPECT_FALSE(RunRecord::load(run.path())->tree().find("verdict"));
}

TEST(RunRecord, HasEachStageWithItsHashesInBlockStyle) {
  const TemporaryFolder run;
  RunRecord::begin(run.path(), tree_of(two_stages)).stage_done(outcome("01_vocabulary"));

  const std::string text = read_file(run / "manifest.out.yaml");

  EXPECT_THAT(text, testing::HasSubstr("\n  01_vocabulary:\n"));
  EXPECT_THAT(text, testing::HasSubstr("\n    input_hash: " + sha256("text").to_string() + "\n"));
  EXPECT_THAT(text, testing::HasSubstr("\n    output_hash: " + sha256("01_vocabulary").to_string() + "\n"));
  EXPECT_THAT(text, testing::HasSubstr("\n    wall_clock_sec: 1.5\n    cost_usd: 0.25\n"));
}

TEST(RunRecord, EntersAFailureWithItsCauseAndWhatWaitsForIt) {
  const TemporaryFolder run;
  RunRecord record = RunRecord::begin(run.path(), tree_of(two_stages));
  record.stage_begins("01_vocabulary", {"02_tokenizer"});
  EXPECT_EQ(record.running_stage(), "01_vocabulary");

  record.stage_failed("01_vocabulary", "the disk is full");

  const Node entry = *RunRecord::load(run.path())->stage("01_vocabulary");
  EXPECT_EQ(entry.at("status"), Node("failed"));
  EXPECT_EQ(entry.at("cause"), Node("the disk is full"));
  EXPECT_EQ(entry.at("invalidates"), Node(Node::Sequence{Node("02_tokenizer")}));
  EXPECT_EQ(entry.at("kind"), Node("vocabulary"));
  EXPECT_FALSE(record.running_stage());
}

TEST(RunRecord, CarriesTheTimeOfInterruptionsOn) {
  const TemporaryFolder run;
  RunRecord record = RunRecord::begin(run.path(), tree_of(two_stages));
  record.stage_begins("01_vocabulary", {});
  record.stage_interrupted("01_vocabulary", 12.5);

  RunRecord later = *RunRecord::load(run.path());
  EXPECT_EQ(later.seconds_spent("01_vocabulary"), 12.5);
  EXPECT_FALSE(later.running_stage());
  later.stage_begins("01_vocabulary", {});
  EXPECT_EQ(later.seconds_spent("01_vocabulary"), 12.5);
  later.stage_failed("01_vocabulary", "no reason");
  EXPECT_EQ(later.seconds_spent("01_vocabulary"), 12.5);
}

TEST(RunRecord, ForgetsAStageThatIsRolledBack) {
  const TemporaryFolder run;
  RunRecord record = RunRecord::begin(run.path(), tree_of(two_stages));
  record.stage_done(outcome("01_vocabulary"));

  record.stage_rolled_back("01_vocabulary");

  EXPECT_EQ(RunRecord::load(run.path())->tree(), tree_of(two_stages));
}

TEST(RunRecord, SumsCostAndTimeOverStages) {
  const TemporaryFolder run;
  RunRecord record = RunRecord::begin(run.path(), tree_of(two_stages));
  record.stage_done(outcome("01_vocabulary", 0.25));
  record.stage_done(outcome("02_tokenizer", 0.5));

  EXPECT_EQ(record.total_cost_usd(), 0.75);
  EXPECT_EQ(record.total_wall_clock_s(), 3.0);
}

TEST(RunRecord, WithRunWideNotesIsStillTheSameManifests) {
  const TemporaryFolder run;
  RunRecord record = RunRecord::begin(run.path(), tree_of(two_stages));
  record.note("machine", tree_of("{ranks: 4}"));
  record.verdict(tree_of("{answer: SHIP}"));

  EXPECT_EQ(RunRecord::begin(run.path(), tree_of(two_stages)).tree().at("machine").at("ranks"), Node(4));
  EXPECT_THAT(history_of(run.path()), IsEmpty());
}

}   // namespace
}   // namespace lastro
