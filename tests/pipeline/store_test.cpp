#include <gmock/gmock.h>

#include <algorithm>

#include "core/files.h"
#include "pipeline/finished_run.h"

namespace lastro::pipeline {
namespace {
namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(AFinishedRun, RunAgainStartsNoRanks) {
  // Whatever would be started cannot be: there is no lastro-rank beside this front.
  const fs::path bin = here / "bin";
  fs::create_directories(bin);
  fs::copy_file(fs::path(LASTRO_BIN_FOLDER) / "lastro", bin / "lastro");
  here.environment = {{"LASTRO_BIN", bin.string()}};
  ASSERT_EQ(here.run_it().exit_code, 0);   // a copy's record learns where it is
  const std::string before = read_file(here.run / "manifest.out.yaml");

  const Ended again = here.run_it({"--ranks", "3"});

  ASSERT_EQ(again.exit_code, 0) << again;
  EXPECT_EQ(again.last_line(), "SHIP");
  EXPECT_EQ(read_file(here.run / "manifest.out.yaml"), before);
}

TEST_F(AFinishedRun, WithAChangedSettingRunsItsStageAndDescendantsOnly) {
  const Ended changed = here.run_it({"--set", "stages.04_pretrain.settings.steps=30"});

  ASSERT_EQ(changed.exit_code, 0) << changed;
  EXPECT_THAT(changed.out, Not(HasSubstr("03_dataset     done in")));
  EXPECT_THAT(changed.out, HasSubstr("04_pretrain    done in"));
  EXPECT_THAT(changed.out, HasSubstr("10_evaluate    done in"));
  const Digests was = golden("small"), is = here.digests();
  EXPECT_EQ(is.at("03_dataset"), was.at("03_dataset"));
  EXPECT_NE(is.at("04_pretrain"), was.at("04_pretrain"));
  EXPECT_NE(is.at("10_evaluate"), was.at("10_evaluate"));
}

TEST_F(AFinishedRun, KeepsTheRecordThatAChangeReplaces) {
  const std::string before = read_file(here.run / "manifest.out.yaml");

  ASSERT_EQ(here.run_it({"--set", "stages.10_evaluate.settings.overlap=0.25"}).exit_code, 0);

  EXPECT_EQ(read_file(here.run / "history/manifest.out-1.yaml"), before);
  ASSERT_EQ(here.run_it().exit_code, 0);   // back again: everything is in the store
  EXPECT_EQ(here.digests(), golden("small"));
}

TEST_F(AFinishedRun, IsCutOffEarlyWhereAChangedStageMakesTheSameArtifact) {
  // Another path to the same vocabulary: the tokenizer and all behind it have the same inputs as before.
  const Ended changed = here.run_it({"--set", "stages.01_vocabulary.settings.sample_bytes=100000000"});

  ASSERT_EQ(changed.exit_code, 0) << changed;
  EXPECT_THAT(changed.out, HasSubstr("01_vocabulary  done in"));
  EXPECT_THAT(changed.out, Not(HasSubstr("02_tokenizer   done in")));
  EXPECT_EQ(here.digests(), golden("small"));
}

TEST_F(AFinishedRun, SharesItsStoreWithAnotherRun) {
  here.run = here / "another";

  const Ended another = here.run_it();

  ASSERT_EQ(another.exit_code, 0) << another;
  EXPECT_THAT(another.out, Not(HasSubstr("done in")));
  EXPECT_EQ(here.digests(), golden("small"));
}

// A run that found everything in the store, and so started no ranks, is one as any other to what is asked of it later, and to a sweep.
TEST_F(AFinishedRun, MadeOfTheStoreAloneKnowsItsStoreAndIsKnownToIt) {
  Workplace second;
  second.store = here.store;
  ASSERT_EQ(second.run_it().exit_code, 0);
  std::filesystem::remove_all(here.run);

  const Ended swept = second.command({"sh", "-c", "\"$LAUNCH/lastro\" gc --yes --store " + here.store.string()});
  const std::string run = second.run.string();

  EXPECT_EQ(swept.exit_code, 0) << swept;
  for (const std::string verb : {"verify", "gate", "status"}) {
    const Ended ended = second.command({"sh", "-c", "\"$LAUNCH/lastro\" " + verb + " " + run});
    EXPECT_EQ(ended.exit_code, 0) << ended;
  }
}

TEST_F(AFinishedRun, RolledBackForgetsTheStageAndItsDescendantsAndKeepsTheirArtifacts) {
  const fs::path model = here.object("04_pretrain");

  const Ended rehearsal = here.ask("rollback", {"04_pretrain", "--dry-run"});
  const Digests untouched = here.digests();
  const Ended done = here.ask("rollback", {"04_pretrain"});

  EXPECT_EQ(rehearsal.exit_code, 0) << rehearsal;
  EXPECT_THAT(rehearsal.out, HasSubstr("nothing was changed"));
  EXPECT_EQ(untouched, golden("small"));
  ASSERT_EQ(done.exit_code, 0) << done;
  EXPECT_THAT(done.out, HasSubstr("04_pretrain\n10_evaluate\n"));
  EXPECT_TRUE(fs::exists(model));
  EXPECT_EQ(here.digests().count("04_pretrain"), 0u);
  EXPECT_EQ(here.digests().count("03_dataset"), 1u);

  const Ended again = here.run_it();
  ASSERT_EQ(again.exit_code, 0) << again;
  EXPECT_THAT(again.out, HasSubstr("04_pretrain    done in"));
  EXPECT_EQ(here.digests(), golden("small"));
  EXPECT_EQ(std::count_if(fs::directory_iterator(here.run / "history"), {}, [](const auto& e) { return e.path().filename() == "checkpoints-1"; }), 1);
}

TEST(ARollBack, ForgetsInTheStoreThatTheRunUsed) {
  const Workplace here;
  ASSERT_EQ(here.run_it().exit_code, 0);

  const Ended done = here.lastro({"rollback", here.run.string(), "10_evaluate"});   // no --store

  ASSERT_EQ(done.exit_code, 0) << done;
  EXPECT_THAT(here.run_it().out, HasSubstr("10_evaluate    done in"));
}

TEST_F(AFinishedRun, RolledBackToAStageThatItLacksIsRefused) {
  const Ended refused = here.ask("rollback", {"04_pretrian"});

  EXPECT_EQ(refused.exit_code, 2) << refused;
  EXPECT_THAT(refused.err, HasSubstr("04_pretrain"));
}

// Two users of one store, who want the same thing at the same time.
TEST(TwoRuns, MayMakeTheSameArtifactsInOneStoreAtOnce) {
  const Workplace one;
  Workplace other;
  other.store = one.store;

  const auto first = one.start_run(), second = other.start_run({"--ranks", "2"});
  const Ended ended[] = {first->wait(), second->wait()};

  for (const Ended& each : ended) EXPECT_EQ(each.exit_code, 0) << each;
  EXPECT_EQ(one.digests(), golden("small"));
  EXPECT_EQ(other.digests(), golden("small"));
  EXPECT_EQ(one.ask("verify").exit_code, 0) << one.ask("verify");
}

TEST(ASweep, WaitsForTheRunsOfTheStoreAndNamesTheOneAtWork) {
  const Workplace here;
  const auto run = here.start_run({"--set", "stages.04_pretrain.settings.steps=4000"});
  wait_for_step(here, 1);
  const std::string at_work = std::to_string(here.ranks().at(0));

  const Ended refused = here.lastro({"gc", "--yes", "--store", here.store.string()});
  const Ended looked = here.lastro({"gc", "--store", here.store.string()});

  EXPECT_EQ(refused.exit_code, 3) << refused;
  EXPECT_THAT(refused.err, AllOf(HasSubstr("in use by process " + at_work), HasSubstr(here.run.string())));
  EXPECT_EQ(looked.exit_code, 0) << looked;
}

TEST_F(AFinishedRun, SweptBesideAnotherKeepsWhatEachNames) {
  const fs::path left = here.store / "staging/half-made";
  fs::create_directories(left);

  const Ended swept = here.lastro({"gc", "--yes", "--store", here.store.string()});

  EXPECT_EQ(swept.exit_code, 0) << swept;
  EXPECT_FALSE(fs::exists(left)) << "what a killed run left";
  EXPECT_EQ(here.ask("verify").exit_code, 0);
}

TEST(ASweep, OfAFolderThatIsNoStoreIsRefused) {
  const Workplace here;
  here.write("mine/objects.txt", "not yours");

  const Ended refused = here.lastro({"gc", "--yes", "--store", (here / "mine").string()});

  EXPECT_EQ(refused.exit_code, 2) << refused;
  EXPECT_THAT(refused.err, HasSubstr("mine is no store"));
  EXPECT_TRUE(fs::exists(here / "mine/objects.txt"));
}

TEST_F(AFinishedRun, ExplainsAtPlanWhatAChangeWouldMakeAnew) {
  const Ended plan = here.lastro(here.words_of("plan", {"--set", "stages.03_dataset.settings.held_out=0.1"}));

  EXPECT_EQ(plan.exit_code, 0) << plan;
  EXPECT_THAT(plan.out, HasSubstr("held_out"));
}

}   // namespace
}   // namespace lastro::pipeline
