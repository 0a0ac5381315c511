#include <gmock/gmock.h>

#include "core/files.h"
#include "pipeline/finished_run.h"

namespace lastro::pipeline {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

// The small run with an exam, some questions of which stand in its training text.
class WithALeakedExam : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string text = read_file(small_manifest());
    text = replaced(
        text, "\nstages:",
        "\n  leak: {generated: {kind: questions, seed: 5, bytes: 3000}}\n  exam: {generated: {kind: questions, seed: 5, bytes: 20000}}\nstages:");
    here.manifest =
        here.write("m.yaml", replaced(text, "text: stories}, settings: {held", "text: [stories, leak], evaluation: exam}, settings: {held"));
  }
  std::int64_t number(const char* stage, const char* name) const { return here.stage(stage).at("metrics").at(name).integer(); }

  Workplace here;
};

TEST_F(WithALeakedExam, ShipsWithoutTheTextThatHoldsIt) {
  const Ended ship = here.run_it();

  EXPECT_EQ(ship.exit_code, 0) << ship;
  EXPECT_GT(number("03_dataset", "evaluation_items"), 100);
  EXPECT_EQ(number("03_dataset", "contaminated"), 20);
  EXPECT_EQ(number("10_evaluate", "contaminated_items"), 0);
  EXPECT_THAT(read_file(here.object("03_dataset") / "removed.jsonl"), HasSubstr("\"rule\":\"contaminated\""));
}

TEST_F(WithALeakedExam, HoldsWhereItIsReportedAlone) {
  const Ended hold = here.run_it({"--set", "stages.03_dataset.settings.decontaminate=report"});

  EXPECT_EQ(hold.exit_code, 5) << hold;
  EXPECT_THAT(hold.last_line(), AllOf(StartsWith("HOLD: "), HasSubstr("contamination=")));
  EXPECT_GT(number("10_evaluate", "contaminated_items"), 10);
}

TEST_F(AFinishedRun, HoldsWithEveryGateThatFails) {
  const Ended held = here.run_it({"--set", "gates.bits_per_byte=<= 0.1", "--set", "gates.perplexity=<= 1.0", "--set", "gates.cost_total_usd=<= 1"});

  EXPECT_EQ(held.exit_code, 5) << held;
  EXPECT_THAT(held.last_line(),
              AllOf(StartsWith("HOLD: "), HasSubstr("bits_per_byte="), HasSubstr("perplexity="), Not(HasSubstr("cost_total_usd="))));
  EXPECT_EQ(here.record().at("verdict").at("answer").text(), "HOLD");
  EXPECT_EQ(here.digests(), golden("small"));
}

TEST_F(AFinishedRun, RefusesAGateOnWhatNobodyMeasures) {
  const Ended held = here.run_it({"--set", "gates.happiness=>= 1"});

  EXPECT_EQ(held.exit_code, 2) << held;
  EXPECT_THAT(held.err, HasSubstr("gates.happiness is measured by no stage"));
}

TEST_F(AFinishedRun, IsJudgedAgainByGate) {
  const Ended ship = here.ask("gate");
  ASSERT_EQ(here.run_it({"--set", "gates.bits_per_byte=<= 0.1"}).exit_code, 5);
  const Ended hold = here.ask("gate", {"--json"});

  EXPECT_EQ(ship.exit_code, 0) << ship;
  EXPECT_EQ(ship.last_line(), "SHIP");
  EXPECT_EQ(hold.exit_code, 5) << hold;
  EXPECT_EQ(json_of(hold).at("answer").text(), "HOLD");
  EXPECT_EQ(json_of(hold).at("gates").items().size(), 2u);
}

TEST_F(AFinishedRun, IsMeasuredAgainstABaseline) {
  const std::string report = here.digests().at("10_evaluate");
  Workplace there;
  there.store = here.store;
  const Words shorter{"--set", "stages.04_pretrain.settings.steps=20", "--set", "baseline=" + report};
  const auto with = [&](const std::string& gate) {
    Words words = shorter;
    words.insert(words.end(), {"--set", "gates.bits_per_byte=" + gate});
    return there.run_it(words);
  };

  const Ended worse = with("<= baseline");
  const Ended allowed = with("<= baseline + 5");

  EXPECT_EQ(worse.exit_code, 5) << worse;
  EXPECT_THAT(worse.last_line(), HasSubstr("bits_per_byte="));
  EXPECT_EQ(allowed.exit_code, 0) << allowed;
}

TEST_F(AFinishedRun, TakesARecordAsBaselineToo) {
  Workplace there;

  const Ended ended = there.run_it({"--set", "baseline=" + (here.run / "manifest.out.yaml").string(), "--set", "gates.bits_per_byte=<= baseline"});

  EXPECT_EQ(ended.exit_code, 0) << ended;
}

TEST_F(AFinishedRun, WithABaselineThatIsNotThereSaysSo) {
  const Ended ended = here.run_it({"--set", "baseline=nowhere.yaml", "--set", "gates.bits_per_byte=<= baseline"});

  EXPECT_EQ(ended.exit_code, 2) << ended;
  EXPECT_THAT(ended.err, HasSubstr("nowhere.yaml"));
}

TEST_F(AFinishedRun, WithoutGatesSaysHowLittleShipMeans) {
  Workplace there;
  there.store = here.store;
  const std::string text = read_file(small_manifest());
  there.manifest = there.write("m.yaml", text.substr(0, text.find("gates:")));
  const std::string warning = "no gates: SHIP means only that every stage finished";

  const Ended plan = there.lastro(there.words_of("plan"));
  const Ended run = there.run_it();
  const Ended gate = there.ask("gate");

  EXPECT_THAT(plan.err, HasSubstr(warning));
  EXPECT_EQ(run.exit_code, 0) << run;
  EXPECT_THAT(run.err, HasSubstr(warning));
  EXPECT_THAT(run.out, AllOf(Not(HasSubstr(warning)), EndsWith("SHIP\n"))) << "told once";
  EXPECT_THAT(gate.err, HasSubstr(warning));
  EXPECT_EQ(here.ask("gate").err, "");
}

TEST(APlan, ThatBreaksTheBudgetIsRefusedWithNumbers) {
  const Workplace here;
  const Words dear{"--set", "rates.usd_per_device_hour=100000", "--set", "budget.cost_usd=0.5"};

  const Ended plan = here.lastro(here.words_of("plan", dear));
  const Ended run = here.run_it(dear);

  EXPECT_EQ(plan.exit_code, 6) << plan;
  EXPECT_EQ(run.exit_code, 6) << run;
  EXPECT_THAT(run.err, AllOf(HasSubstr("budget.cost_usd"), HasSubstr("0.5"), HasSubstr("04_pretrain")));
  EXPECT_TRUE(here.ranks().empty());
}

TEST(APlan, ThatBreaksTheMemoryLimitIsRefusedWithNumbers) {
  const Workplace here;

  const Ended run = here.run_it({"--set", "budget.memory_per_rank_gib=0.001"});

  EXPECT_EQ(run.exit_code, 6) << run;
  EXPECT_THAT(run.err, AllOf(HasSubstr("01_vocabulary needs"), HasSubstr("02_tokenizer needs"), HasSubstr("03_dataset needs"),
                             HasSubstr("04_pretrain"), HasSubstr("a rank, the limit is 1.02 MiB"), HasSubstr("10_evaluate needs")));
}

TEST(ARun, ThatHasCostMoreThanItsBudgetStopsAfterTheStage) {
  const Workplace here;

  // The plan believes that training is free on a device of a million TFLOP/s; what a stage really takes is charged.
  const Ended run = here.run_it({"--set", "rates.peak_tflops=1000000", "--set", "rates.usd_per_device_hour=1000", "--set", "budget.cost_usd=0.05"});

  EXPECT_EQ(run.exit_code, 6) << run;
  EXPECT_THAT(run.err, HasSubstr("budget.cost_usd is 0.05"));
  EXPECT_EQ(here.status_of("01_vocabulary"), "done") << "what was made is kept";
}

}   // namespace
}   // namespace lastro::pipeline
