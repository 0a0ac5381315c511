#include "core/wiring.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/manifest.h"
#include "tests/core/manifest_examples.h"
#include "tests/core/toy_stages.h"

namespace lastro {
namespace {

using testing::ElementsAre;

std::vector<std::string> problems_with(const std::string& from, const std::string& to) {
  Problems problems;
  read_manifest(with(good_manifest, from, to), "m.yaml", {}, toy::registry(), problems);
  std::vector<std::string> texts;
  for (const Problem& problem : problems) texts.push_back(problem.to_string());
  return texts;
}

const std::string after_pretrain = "    expect: {output_hash: null}\n";

TEST(Wiring, RefusesADpoPolicyWhereSftWantsACheckpoint) {
  const std::string stages =
      after_pretrain +
      "  05_first: {kind: sft, inputs: {base: 04_pretrain, instructions: prose}}\n  06_dpo: {kind: dpo, inputs: {base: 05_first}}\n"
      "  07_sft: {kind: sft, inputs: {base: 06_dpo, instructions: prose}}\n";

  EXPECT_THAT(problems_with(after_pretrain, stages),
              ElementsAre("m.yaml:23:38: 07_sft.base is a policy (sft takes a checkpoint). Did you mean 04_pretrain?"));
}

TEST(Wiring, LetsEvaluationTakeAnyModelAndNothingElse) {
  const std::string stages =
      after_pretrain +
      "  05_sft: {kind: sft, inputs: {base: 04_pretrain, instructions: prose}}\n  06_dpo: {kind: dpo, inputs: {base: 05_sft}}\n"
      "  07_a: {kind: evaluate, inputs: {model: 05_sft, dataset: 03_dataset}}\n  08_b: {kind: evaluate, inputs: {model: 06_dpo, dataset: "
      "03_dataset}}\n";

  EXPECT_THAT(problems_with(after_pretrain, stages), ElementsAre());
  EXPECT_THAT(
      problems_with("model: 04_pretrain", "model: 03_dataset"),
      ElementsAre("m.yaml:21:49: 10_evaluate.model is a dataset (evaluate takes a checkpoint, sft_model or policy). Did you mean 04_pretrain?"));
}

TEST(Wiring, NamesTheNearestOfWhatIsNotThere) {
  EXPECT_THAT(problems_with("model: 04_pretrain", "model: 04_pretrian"),
              ElementsAre("m.yaml:21:49: 10_evaluate.model=04_pretrian names no stage. Did you mean \"04_pretrain\"?"));
  EXPECT_THAT(problems_with("text: [prose, jargon]}, settings", "text: [prose, jargn]}, settings"),
              ElementsAre("m.yaml:11:60: 01_vocabulary.text=jargn names no source. Did you mean \"jargon\"?"));
  EXPECT_THAT(problems_with("inputs: {model:", "inputs: {modle:"),
              ElementsAre("m.yaml:21:42: 10_evaluate has no input \"modle\". Did you mean \"model\"?"));
}

TEST(Wiring, KeepsSourcesAndStagesApart) {
  EXPECT_THAT(problems_with("{vocabulary: 01_vocabulary}", "{vocabulary: prose}"),
              ElementsAre("m.yaml:12:56: 02_tokenizer.vocabulary=prose is a source (tokenizer takes a vocabulary). Did you mean 01_vocabulary?"));
  EXPECT_THAT(problems_with("text: [prose, jargon]}, settings", "text: [prose, 02_tokenizer]}, settings"),
              testing::Contains("m.yaml:11:60: 01_vocabulary.text=02_tokenizer is a stage (text sources are named here)"));
  EXPECT_THAT(problems_with("{dataset: 03_dataset}", "{dataset: [03_dataset]}"),
              ElementsAre("m.yaml:17:14: 04_pretrain.dataset is a list (pretrain takes a dataset: name one stage)"));
  EXPECT_THAT(problems_with("inputs: {text: [prose, jargon]}, settings", "inputs: {text: []}, settings"),
              ElementsAre("m.yaml:11:46: 01_vocabulary.text=[] (must name at least one source)"));
  EXPECT_THAT(problems_with("inputs: {text: [prose, jargon]}, settings", "settings"),
              ElementsAre("m.yaml:11:3: 01_vocabulary.text is missing (vocabulary takes text sources). Did you mean prose?"));
}

TEST(Wiring, TellsEachCycleOnce) {
  EXPECT_THAT(problems_with("{dataset: 03_dataset}", "{dataset: 03_dataset, start: 04_pretrain}"),
              ElementsAre("m.yaml:14:3: 04_pretrain needs 04_pretrain (a cycle: no stage of it could begin)"));
  EXPECT_THAT(problems_with(after_pretrain, after_pretrain + "  05_x: {kind: pretrain, inputs: {dataset: 03_dataset, start: 06_y}}\n  06_y: {kind: "
                                                             "pretrain, inputs: {dataset: 03_dataset, start: 05_x}}\n"
                                                             "  07_z: {kind: pretrain, inputs: {dataset: 03_dataset, start: 06_y}}\n"),
              ElementsAre("m.yaml:21:3: 05_x needs 06_y needs 05_x (a cycle: no stage of it could begin)"));
}

TEST(Wiring, LetsGatesAskForWhatIsMeasuredAlone) {
  EXPECT_THAT(problems_with("bits_per_byte:", "bits_per_bite:"),
              ElementsAre("m.yaml:25:18: gates.bits_per_bite is measured by no stage. Did you mean \"bits_per_byte\"?"));
  EXPECT_THAT(problems_with("<= xz", "<= gz"),
              ElementsAre(testing::StartsWith("m.yaml:25:18: gates.bits_per_byte=\"<= gz\": gz is measured by no stage")));
}

TEST(StageOrder, PutsEachStageBehindWhatItBuildsOn) {
  Problems problems;
  const std::string moved = with(with(good_manifest, "  02_tokenizer: {kind: tokenizer, inputs: {vocabulary: 01_vocabulary}}\n", ""), after_pretrain,
                                 after_pretrain + "  02_tokenizer: {kind: tokenizer, inputs: {vocabulary: 01_vocabulary}}\n");
  const Manifest manifest = read_manifest(moved, "m.yaml", {}, toy::registry(), problems);

  std::vector<std::string> names;
  for (const std::size_t index : stage_order(manifest)) names.push_back(manifest.stages[index].name);

  EXPECT_THAT(names, ElementsAre("01_vocabulary", "02_tokenizer", "03_dataset", "04_pretrain", "10_evaluate"));
}

}   // namespace
}   // namespace lastro
