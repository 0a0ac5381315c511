#include "core/planner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "core/cost.h"
#include "core/hash.h"
#include "core/json.h"
#include "core/manifest.h"
#include "core/rollback.h"
#include "core/source_digest.h"
#include "domain/errors.h"
#include "tests/core/manifest_examples.h"
#include "tests/core/toy_stages.h"

namespace lastro {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Sources sources() {
  Source prose{"prose", SourceFormat::text, 2.0, "text", 1.0, {{"prose.txt", sha256("prose"), 1000, 1000}}};
  Source jargon{"jargon", SourceFormat::markdown, 1.0, "text", 1.0, {{"a.md", sha256("a"), 10, 10}, {"b.md", sha256("b"), 20, 20}}};
  Source tales{"tales", SourceFormat::stories, 1.0, "text", 1.0, {}, 3, 5000};
  return {prose, jargon, tales};
}

// A store in which every key that was planned so far may be found.
struct Shelf {
  std::map<Digest, Digest> outputs;
  std::map<std::string, Node> fields;

  Surroundings surroundings() const {
    Surroundings around;
    around.sources = sources();
    around.measured_peak_flops = 1e11;
    around.find_output = [outputs = outputs](const std::string&, const Digest& key) {
      const auto found = outputs.find(key);
      return found == outputs.end() ? std::nullopt : std::optional(found->second);
    };
    around.last_key_fields = [fields = fields](const std::string& stage) {
      const auto found = fields.find(stage);
      return found == fields.end() ? std::nullopt : std::optional(found->second);
    };
    return around;
  }

  void run_all();
};

Manifest manifest(const std::string& text = good_manifest) {
  Problems problems;
  Manifest read = read_manifest(text, "m.yaml", {}, toy::registry(), problems);
  for (const Problem& problem : problems) ADD_FAILURE() << problem.to_string();
  return read;
}

Planned planned(const std::string& text, const Surroundings& around) { return plan(manifest(text), toy::registry(), around); }

// Runs what has to run, each stage by a plan that knows what those before it made. An artifact's content depends on its key alone.
void Shelf::run_all() {
  for (std::size_t i = 0; i < manifest().stages.size(); ++i) {
    const PlannedStage stage = planned(good_manifest, surroundings()).plan.stages[i];
    outputs.try_emplace(stage.key, sha256("made by " + stage.key.hex()));
    fields[stage.name] = stage.key_fields;
  }
}

std::vector<std::string> reasons(const Plan& plan) {
  std::vector<std::string> why;
  for (const PlannedStage& stage : plan.stages) why.push_back(stage.why);
  return why;
}

TEST(Planner, OrdersStagesWithTheirInputsResolved) {
  const Plan plan = planned(good_manifest, Shelf().surroundings()).plan;

  ASSERT_EQ(plan.stages.size(), 5u);
  EXPECT_EQ(plan.stages[2].inputs[0].stage, 1u);
  EXPECT_EQ(plan.stages[2].inputs[1].sources[1].name, "jargon");
  EXPECT_EQ(plan.stages[4].output_type, ArtifactType::eval_report);
  EXPECT_TRUE(plan.stages[0].key_is_final);
  EXPECT_FALSE(plan.stages[1].key_is_final);
}

TEST(Planner, FindsEverythingInTheStoreAfterARun) {
  Shelf shelf;
  shelf.run_all();

  const Plan again = planned(good_manifest, shelf.surroundings()).plan;

  EXPECT_THAT(reasons(again), ElementsAre("", "", "", "", ""));
  EXPECT_EQ(again.cost_usd(), 0.0);
}

TEST(Planner, SaysWhatDiffersFromTheLastRun) {
  Shelf shelf;
  shelf.run_all();

  EXPECT_THAT(reasons(planned(with(good_manifest, "steps: 200", "steps: 300"), shelf.surroundings()).plan),
              ElementsAre("", "", "", "settings.steps was 200, is 300", "builds on 04_pretrain, which has to run"));
  EXPECT_THAT(reasons(planned(with(good_manifest, "seed: 7", "seed: 8"), shelf.surroundings()).plan)[0], "seed was 7, is 8");
  Surroundings other_text = shelf.surroundings();
  other_text.sources[2].generated_seed = 4;
  EXPECT_THAT(reasons(planned(good_manifest, other_text).plan)[2], HasSubstr("inputs.evaluation[0].content was \"sha256:"));
  EXPECT_THAT(reasons(planned(good_manifest, Shelf().surroundings()).plan)[0], "was not run yet");
}

TEST(Planner, KeepsKeysFromWhatBearsNoResult) {
  Shelf shelf;
  shelf.run_all();
  const std::string changed =
      with(with(with(with(good_manifest, "size: 4096", "size: 4096, log_every: 3"), "steps: 200", "steps: 200\n      recompute: true"), "name: dev",
                "name: other"),
           "cost_usd: 1.00", "cost_usd: 2.00");
  Surroundings around = shelf.surroundings();
  around.ranks = 3;
  around.threads_per_rank = 2;
  around.sources[0].files[0].path = "elsewhere.txt";

  EXPECT_THAT(reasons(planned(changed, around).plan), ElementsAre("", "", "", "", ""));
}

TEST(Planner, GivesOneKeyWhateverTheOrderOfWriting) {
  const std::string reordered = with(good_manifest, "inputs: {tokenizer: 02_tokenizer, text: [prose, jargon], evaluation: tales}",
                                     "inputs: {evaluation: tales, text: [prose, jargon], tokenizer: 02_tokenizer}");

  EXPECT_EQ(planned(reordered, Shelf().surroundings()).plan.stages[2].key, planned(good_manifest, Shelf().surroundings()).plan.stages[2].key);
}

TEST(Planner, ExpectsOfAnEditedRecordOnlyWhatIsStillTheRecordedStage) {
  Shelf shelf;
  shelf.run_all();
  Manifest record = manifest(with(good_manifest, "steps: 200", "steps: 300"));
  const Plan before = planned(good_manifest, shelf.surroundings()).plan;
  for (std::size_t i = 0; i < record.stages.size(); ++i) {
    record.stages[i].expected_output = before.stages[i].output;
    record.stages[i].is_replayed = true;
    record.stages[i].recorded_key = before.stages[i].key;
  }

  record.is_edited_record = true;
  const Plan edited = plan(record, toy::registry(), shelf.surroundings()).plan;
  record.is_edited_record = false;
  const Plan whole = plan(record, toy::registry(), shelf.surroundings()).plan;

  EXPECT_EQ(edited.stages[2].expected_output, before.stages[2].output);
  EXPECT_FALSE(edited.stages[3].expected_output);
  EXPECT_EQ(whole.stages[3].expected_output, before.stages[3].output) << "what a whole record says is expected whatever the reason for another key";
}

TEST(Planner, StopsRunningWhereAnInputCameOutEqual) {
  const std::string other = with(good_manifest, "size: 4096", "size: 4097");
  Shelf shelf;
  shelf.run_all();
  const Plan before = planned(good_manifest, shelf.surroundings()).plan;
  const Digest changed_key = planned(other, shelf.surroundings()).plan.stages[0].key;

  shelf.outputs[changed_key] = *before.stages[0].output;   // the other settings made the same vocabulary
  const Plan after = planned(other, shelf.surroundings()).plan;

  EXPECT_NE(changed_key, before.stages[0].key);
  EXPECT_EQ(after.stages[1].key, before.stages[1].key);
  EXPECT_EQ(after.stages[1].output, before.stages[1].output);
}

TEST(Planner, HoldsAGoldenKey) {
  // The key of a stage may change with its version alone: this one says when the form of keys does.
  EXPECT_EQ(
      to_canonical_json(planned(good_manifest, Shelf().surroundings()).plan.stages[0].key_fields),
      R"({"inputs":{"text":[{"content":"sha256:)" + sha256("prose").hex() +
          R"(","format":0,"name":"prose","share":1.0,"weight":2.0},{"content":"sha256:)" +
          digest_of(sources()[1]).hex() +
          R"(","format":1,"name":"jargon","share":1.0,"weight":1.0}]},"kind":"vocabulary","numerics":"fp32/1/exact","seed":7,)"
          R"("settings":{"size":4096},"version":1})");
}

TEST(Planner, EstimatesTimeAndCostFromRates) {
  const Plan plan = planned(good_manifest, Shelf().surroundings()).plan;

  EXPECT_DOUBLE_EQ(plan.stages[3].device_s, 1.1e9 * 200 / (1e11 * 0.4));   // 5.5 s
  EXPECT_DOUBLE_EQ(plan.cost_usd(), 5.5 / 3600 * 0.04);
  EXPECT_DOUBLE_EQ(planned(with(good_manifest, "peak_tflops: auto", "peak_tflops: 0.2"), Shelf().surroundings()).plan.stages[3].device_s, 2.75);
}

TEST(Planner, RefusesWhatBreaksTheMemoryWithTheCheapestChangeThatFits) {
  Surroundings around = Shelf().surroundings();
  const std::int64_t weights = 4 * 64 * (64 + 4096);   // the vocabulary's size is seen from afar
  around.memory_limit_bytes = weights + 2000;

  EXPECT_THAT(planned(good_manifest, around).excesses,
              ElementsAre("04_pretrain needs 1.97 MiB a rank (weights 1.02 MiB, activations 977 KiB) and has 1.02 MiB by the machine. "
                          "The cheapest change that fits: settings.recompute: true (1.02 MiB)"));
  around.memory_limit_bytes = 1000000 + weights / 4;
  EXPECT_THAT(planned(with(good_manifest, "steps: 200", "recompute: true"), around).excesses, IsEmpty());
  around.memory_limit_bytes = 1000 + weights / 4;
  EXPECT_THAT(planned(good_manifest, around).excesses, ElementsAre(HasSubstr("No single change fits")));
  EXPECT_THAT(planned(with(good_manifest, "steps: 200", "recompute: true"), around).excesses,
              ElementsAre(HasSubstr("The cheapest change that fits: 4 ranks (261 KiB)")));
}

TEST(Planner, GoesByWhatCameOutOfTheStagesBefore) {
  Shelf shelf;
  Surroundings before = shelf.surroundings();
  shelf.run_all();
  shelf.outputs.erase(planned(good_manifest, shelf.surroundings()).plan.stages[4].key);
  Surroundings after = shelf.surroundings();
  Node summary;
  summary.set("documents", 5'000'000);
  before.summary_of = after.summary_of = [&](const Digest&) { return std::optional(summary); };
  before.memory_limit_bytes = after.memory_limit_bytes = 4'000'000;

  EXPECT_THAT(planned(good_manifest, before).excesses, IsEmpty());
  EXPECT_THAT(planned(good_manifest, after).excesses, ElementsAre(HasSubstr("evaluate needs 4.77 MiB a rank (documents 4.77 MiB)")));
}

TEST(Planner, TakesTheSmallerOfTheTwoMemoryLimits) {
  Surroundings around = Shelf().surroundings();
  around.memory_limit_bytes = std::int64_t{1} << 40;

  EXPECT_THAT(planned(with(good_manifest, "cost_usd: 1.00", "memory_per_rank_gib: 0.001"), around).excesses,
              ElementsAre(HasSubstr("and has 1.02 MiB by budget.memory_per_rank_gib")));
}

TEST(Planner, RefusesWhatBreaksTheBudget) {
  const Planned dear = planned(with(good_manifest, "cost_usd: 1.00", "cost_usd: 4.0e-5, hours: 0.001"), Shelf().surroundings());

  EXPECT_THAT(dear.excesses, ElementsAre("the plan costs 6.11e-05 USD (04_pretrain 6.11e-05 USD) and budget.cost_usd is 4e-05 USD. "
                                         "The cheapest change that fits: 04_pretrain.settings.steps: 100 (3.06e-05 USD)",
                                         "the plan takes 5.5 s on 1 rank (04_pretrain 5.5 s) and budget.hours allows 3.6 s. "
                                         "The cheapest change that fits: 04_pretrain.settings.steps: 100 (2.75 s)"));
  EXPECT_THROW(refuse_excesses(dear), BudgetError);
  EXPECT_THAT(planned(with(good_manifest, "cost_usd: 1.00", "cost_usd: 0"), Shelf().surroundings()).excesses,
              ElementsAre(HasSubstr("No single change fits; budget.cost_usd would have to allow 6.11e-05 USD")));
}

TEST(Planner, AsksNoBudgetForWhatIsThereAlready) {
  Shelf shelf;
  shelf.run_all();

  EXPECT_THAT(planned(with(good_manifest, "cost_usd: 1.00", "cost_usd: 0, memory_per_rank_gib: 1.0e-6"), shelf.surroundings()).excesses, IsEmpty());
}

TEST(Planner, IsWrittenAsPlainValues) {
  const Node node = to_node(planned(good_manifest, Shelf().surroundings()).plan);

  EXPECT_EQ(node.at("stages").items()[3].at("inputs").at("dataset").text(), "03_dataset");
  EXPECT_EQ(node.at("stages").items()[3].at("memory_per_rank_bytes").at("activations").integer(), 1000000);
  EXPECT_EQ(to_json(node.at("stages").items()[0].at("inputs")), R"({"text":["prose","jargon"]})");
}

TEST(SourceDigests, AreThoseOfTheContentAndAreChecked) {
  Sources all = sources();
  EXPECT_EQ(digest_of(all[0]), sha256("prose"));
  std::swap(all[1].files[0], all[1].files[1]);
  EXPECT_EQ(digest_of(all[1]), digest_of(sources()[1]));

  check_source_digests(manifest(with(good_manifest, "sha256: auto", "sha256: " + sha256("prose").hex())), all);
  try {
    check_source_digests(manifest(with(good_manifest, "sha256: auto", "sha256: " + sha256("other").hex())), all);
    FAIL();
  } catch (const ContractError& error) {
    EXPECT_THAT(error.what(), HasSubstr("m.yaml:7:61: sources.prose has content sha256:" + sha256("prose").hex() +
                                        " (wanted sha256:" + sha256("other").hex() + ")"));
    EXPECT_EQ(error.artifact, "sources.prose");
  }
}

TEST(Rollback, TakesAStageAndWhatBuildsOnIt) {
  Shelf shelf;
  shelf.run_all();
  const Plan plan = planned(good_manifest, shelf.surroundings()).plan;

  EXPECT_THAT(rollback_of(plan, "03_dataset").stages, ElementsAre(2u, 3u, 4u));
  EXPECT_THAT(rollback_of(plan, "evaluate").stages, ElementsAre(4u));
  EXPECT_DOUBLE_EQ(rollback_of(plan, "03_dataset").device_s, 5.5);
  EXPECT_EQ(rollback_of(plan, "01_vocabulary").memory_per_rank.size(), 2u);
  EXPECT_THROW(rollback_of(plan, "04_pretrian"), UsageError);
}

TEST(Cost, IsShownWithThreeDigits) {
  EXPECT_EQ(bytes_text(999), "999 bytes");
  EXPECT_EQ(bytes_text(1536), "1.5 KiB");
  EXPECT_EQ(bytes_text(std::int64_t{3} << 29), "1.5 GiB");
  EXPECT_EQ(duration_text(7200), "2 h");
  EXPECT_EQ(duration_text(119), "119 s");
  EXPECT_EQ(flops_text(2.1e15), "2.1e+15 FLOP");
}

}   // namespace
}   // namespace lastro
