#include "app/planning.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>

#include "domain/errors.h"
#include "tests/support/temporary_folder.h"

namespace lastro {
namespace {

using testing::AllOf;
using testing::HasSubstr;
namespace fs = std::filesystem;

const std::string whole = R"(name: small
sources:
  prose: {path: PROSE}
stages:
  01_vocabulary: {kind: vocabulary, inputs: {text: prose}}
  02_tokenizer: {kind: tokenizer, inputs: {vocabulary: 01_vocabulary}}
)";

struct Place {
  TemporaryFolder folder;
  Place() { std::ofstream(folder / "prose.txt") << "Once upon a time.\n"; }

  Invocation invocation(std::string manifest) {
    if (const std::size_t at = manifest.find("PROSE"); at != std::string::npos) manifest.replace(at, 5, (folder / "prose.txt").string());
    std::ofstream(folder / "m.yaml") << manifest;
    return {.subject = folder / "m.yaml", .run = folder / "run", .store = folder / "store"};
  }

  std::string refusal(const std::string& manifest) {
    try {
      RunPlanner(invocation(manifest)).plan();
    } catch (const Error& error) {
      return error.what();
    }
    return "not refused";
  }
};

TEST(RunPlanner, SaysWhichManifestIsNotThere) {
  try {
    RunPlanner({.subject = "nowhere.yaml"});
    FAIL() << "not refused";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("nowhere.yaml"));
  }
}

TEST(RunPlanner, ListsEveryProblemWithItsPlace) {
  Place place;
  const std::string said = place.refusal(
      "name: small\nsede: 3\nsources:\n  prose: {path: PROSE, weight: -1}\nstages:\n  01_vocabulary: {kind: vocabullary, inputs: {text: prose}}\n");

  EXPECT_THAT(said, AllOf(HasSubstr("3 problems"), HasSubstr("m.yaml:2:1: "), HasSubstr("seed"), HasSubstr("m.yaml:4:"), HasSubstr("weight"),
                          HasSubstr("m.yaml:6:"), HasSubstr("vocabulary")));
}

TEST(RunPlanner, ListsEverySourceThatIsNotThereAndTheEarlierRuns) {
  Place place;
  const std::string said = place.refusal(
      "name: small\nsources:\n  prose: {path: lost.txt}\n  notes: {path: gone.txt}\nstages:\n  01_vocabulary: {kind: vocabulary, inputs: {text: "
      "[prose, notes]}}\n"
      "reference: no-run\nbaseline: no-report.json\n");

  EXPECT_THAT(said, AllOf(HasSubstr("m.yaml:3:17: sources.prose: path=\"lost.txt\""), HasSubstr("m.yaml:4:17: sources.notes: path=\"gone.txt\""),
                          HasSubstr("m.yaml:7:12: reference=\"no-run\""), HasSubstr("m.yaml:8:11: baseline=\"no-report.json\"")));
}

TEST(RunPlanner, ReadsTheEarlierRunsBeforeAnythingRuns) {
  Place place;
  std::ofstream(place.folder / "report.json") << "{\"bits\": ";
  std::ofstream(place.folder / "record.yaml") << "- no record\n";
  const std::string said = place.refusal(whole + "baseline: " + (place.folder / "report.json").string() +
                                         "\nreference: " + (place.folder / "record.yaml").string() + "\n");

  EXPECT_THAT(said, AllOf(HasSubstr("2 problems"), HasSubstr("report.json\" cannot be used: "), HasSubstr("record.yaml\" cannot be used: ")));
  EXPECT_THAT(said, testing::Not(HasSubstr("m.yaml: "))) << "each at its line";
}

TEST(RunPlanner, NamesTheAssignmentThatNamesAMissingFile) {
  Place place;
  Invocation invocation = place.invocation(whole);
  invocation.sets = {"sources.prose.path=lost.txt"};

  EXPECT_THAT(
      [&] { RunPlanner planner(invocation); },
      testing::ThrowsMessage<UsageError>(testing::StartsWith("--set sources.prose.path=lost.txt: sources.prose: path=\"lost.txt\" is no file")));
}

TEST(RunPlanner, TellsTwentyProblemsAndHowManyMoreThereAre) {
  Place place;
  std::string manifest = "name: small\nstages: {01_vocabulary: {kind: vocabulary}}\n";
  for (int i = 0; i < 30; ++i) manifest += "unknown_" + std::to_string(i) + ": 1\n";
  const std::string said = place.refusal(manifest);

  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 21);
  EXPECT_THAT(said, AllOf(testing::StartsWith("31 problems\n"), testing::EndsWith("\nand 11 more (mend these first)")));
}

TEST(RunPlanner, WantsABaselineDigestInTheStore) {
  Place place;
  EXPECT_THAT(place.refusal(whole + "baseline: sha256:" + std::string(64, 'a') + "\n"), HasSubstr("is not in the store"));
}

TEST(RunPlanner, RefusesASourceThatIsNotTheRecordedOne) {
  Place place;
  const std::string recorded = "name: small\nsources:\n  prose: {path: PROSE, sha256: 'sha256:" + std::string(64, '0') +
                               "'}\nstages:\n  01_vocabulary: {kind: vocabulary, inputs: {text: prose}}\n";

  EXPECT_THAT(place.refusal(recorded), AllOf(HasSubstr("m.yaml:3"), HasSubstr("wanted sha256:" + std::string(64, '0'))));
}

TEST(RunPlanner, RefusesOneFolderAsRunAndStoreByWhateverName) {
  Place place;
  Invocation invocation = place.invocation(whole);
  const fs::path there = place.folder / "there";
  fs::create_directory(there);
  fs::create_directory_symlink(there, place.folder / "link");
  const auto refusal = [&](const fs::path& run, const fs::path& store) {
    invocation.run = run;
    invocation.store = store;
    try {
      RunPlanner planner(invocation);
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string("not refused");
  };

  for (const fs::path& name : {there, there / "", there / ".", place.folder / "link", fs::relative(there)})
    EXPECT_THAT(refusal(name, there), HasSubstr("is the run directory and the store")) << name;
  const fs::path absent = place.folder / "absent";
  for (const fs::path& name : {absent, absent / "", fs::relative(absent)})
    EXPECT_THAT(refusal(name, absent), HasSubstr("is the run directory and the store")) << name;
  EXPECT_EQ(refusal(there, there / "store"), "not refused");
  EXPECT_EQ(refusal(there, place.folder / "store"), "not refused");
}

TEST(RunPlanner, RecordsWhatWasSetAndFound) {
  Place place;
  Invocation invocation = place.invocation(whole);
  invocation.sets = {"stages.01_vocabulary.settings.size=300", "seed=7"};

  const Node recorded = RunPlanner(invocation).resolved_manifest();

  EXPECT_EQ(recorded.at("seed"), Node(7));
  EXPECT_EQ(recorded.at("stages").at("01_vocabulary").at("settings").at("size"), Node(300));
  EXPECT_THAT(recorded.at("sources").at("prose").at("sha256").text(), testing::StartsWith("sha256:"));
  EXPECT_NE(recorded.at("git_commit"), Node("auto"));
}

TEST(RunPlanner, NamesTheFirstStageThatIsNotMadeAndWhatWaitsForIt) {
  Place place;
  const RunPlanner planner(place.invocation(whole));

  const auto next = planner.next_stage();

  ASSERT_TRUE(next);
  EXPECT_EQ(next->order.stage, "01_vocabulary");
  EXPECT_THAT(next->dependants, testing::ElementsAre("02_tokenizer"));
  EXPECT_THAT(planner.headline(), AllOf(HasSubstr("small: 2 stages"), HasSubstr("1 rank")));
}

TEST(RunPlanner, MarksAProblemBetweenFieldsAtTheFirstOfThemThatIsStated) {
  Place place;
  const std::string stages =
      "  03_dataset: {kind: dataset, inputs: {tokenizer: 02_tokenizer, text: prose}}\n"
      "  04_pretrain:\n    kind: pretrain\n    recipe: tiny\n    inputs: {dataset: 03_dataset}\n    settings:\n";

  EXPECT_THAT(place.refusal(whole + stages + "      checkpoint: {keep: 2}\n      model:\n        context: 32\n        heads: 7\n"),
              HasSubstr("m.yaml:16:16: 04_pretrain.settings: width=64 is not a multiple of heads=7"));
  EXPECT_THAT(place.refusal(whole + stages + "      checkpoint: {keep: 2}\n      steps: 10\n"),
              HasSubstr("m.yaml:14:14: 04_pretrain.settings: optimizer.warmup_steps=20 of steps=10"));
}

TEST(RunPlanner, CountsTheMemoryOfXzAgainstTheLimit) {
  Place place;
  const std::string stages =
      "  03_dataset: {kind: dataset, inputs: {tokenizer: 02_tokenizer, text: prose}}\n"
      "  04_pretrain: {kind: pretrain, recipe: tiny, inputs: {dataset: 03_dataset}}\n"
      "  10_evaluate: {kind: evaluate, inputs: {model: 04_pretrain, dataset: 03_dataset}}\n"
      "budget: {memory_per_rank_gib: 0.08}\n";

  const Planned planned = RunPlanner(place.invocation(whole + stages)).plan();

  ASSERT_THAT(planned.excesses, testing::SizeIs(1));
  EXPECT_THAT(planned.excesses[0], AllOf(HasSubstr("10_evaluate needs"), HasSubstr("yardsticks 97.1 MiB"), HasSubstr("settings.xz_bytes: 0")));
}

// What the yardsticks are measured on decides verdicts, though it stays out of the report's digest.
TEST(RunPlanner, MakesAnewWhatASettingOfTheEvaluationWouldMeasureOtherwise) {
  Place place;
  const std::string stages =
      "  03_dataset: {kind: dataset, inputs: {tokenizer: 02_tokenizer, text: prose}}\n"
      "  04_pretrain: {kind: pretrain, recipe: tiny, inputs: {dataset: 03_dataset}}\n"
      "  10_evaluate: {kind: evaluate, inputs: {model: 04_pretrain, dataset: 03_dataset}, settings: {SETTING}}\n";
  const auto key_with = [&](const std::string& setting) {
    std::string manifest = whole + stages;
    return RunPlanner(place.invocation(manifest.replace(manifest.find("SETTING"), 7, setting))).plan().plan.stages[4].key;
  };

  for (const char* setting : {"xz_bytes: 1000", "ngram_tokens: 0", "most_tokens: 7", "overlap: 0.25"})
    EXPECT_NE(key_with(setting), key_with("")) << setting;
}

TEST(RunPlanner, MakesNothingAnewForANoteOrForWhatOnlyOtherFormatsRead) {
  Place place;
  const auto key_with = [&](const std::string& more) {
    std::string manifest = whole;
    return RunPlanner(place.invocation(manifest.replace(manifest.find("PROSE"), 5, (place.folder / "prose.txt").string() + more)))
        .plan()
        .plan.stages[0]
        .key;
  };

  EXPECT_EQ(key_with(", licence: public domain"), key_with(""));
  EXPECT_EQ(key_with(", text_field: body"), key_with(""));
  EXPECT_NE(key_with(", format: jsonl, text_field: body"), key_with(", format: jsonl"));
  EXPECT_NE(key_with(", share: 0.5"), key_with(""));
}

TEST(RunPlanner, RefusesToEvaluateWhereNothingIsHeldOut) {
  Place place;
  const std::string stages =
      "  03_dataset: {kind: dataset, inputs: {tokenizer: 02_tokenizer, text: prose}, settings: {held_out: 0}}\n"
      "  04_pretrain: {kind: pretrain, recipe: tiny, inputs: {dataset: 03_dataset}}\n";
  const std::string evaluation = "  10_evaluate: {kind: evaluate, inputs: {model: 04_pretrain, dataset: 03_dataset}}\n";

  EXPECT_EQ(place.refusal(whole + stages), "not refused");
  EXPECT_THAT(place.refusal(whole + stages + evaluation),
              AllOf(HasSubstr("m.yaml:7:"), HasSubstr("03_dataset.settings.held_out=0.0 (must be above 0: an evaluate stage measures")));
}

TEST(RunPlanner, TellsOfMoreThreadsThanCoresOnlyWhereTheyWereAskedFor) {
  EXPECT_THAT(crowding_of({.ranks = 3, .threads = 2}, 2).value_or(""), HasSubstr("3 ranks x 2 threads on 2 cores"));
  EXPECT_FALSE(crowding_of({.ranks = 3, .threads = 2}, 6));
  EXPECT_FALSE(crowding_of({.ranks = 3}, 2));
  EXPECT_FALSE(crowding_of({.ranks = 3, .threads = 1}, 2));
  EXPECT_FALSE(crowding_of({}, 1));
}

TEST(RunPlanner, RefusesAPlanThatBreaksItsBudget) {
  Place place;
  const RunPlanner planner(place.invocation(whole + "rates: {usd_per_device_hour: 1000000000000}\nbudget: {cost_usd: 0}\n"));

  EXPECT_THROW(planner.next_stage(), BudgetError);
}

}   // namespace
}   // namespace lastro
