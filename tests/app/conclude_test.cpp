#include "app/conclude.h"

#include <gmock/gmock.h>

#include <fstream>

#include "core/json.h"
#include "domain/errors.h"
#include "run_example.h"

namespace lastro {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
namespace fs = std::filesystem;

std::string judged(RunExample& example, const std::string& gates, const std::string& more = "") {
  RunRecord record = example.finished(gates, more);
  return judge_run(record, example.store).to_string();
}

TEST(JudgeRun, ShipsWhenEveryGatePasses) {
  RunExample example;
  EXPECT_EQ(judged(example, "bits_per_byte: '<= 2.5', perplexity: '< 25', cost_total_usd: '<= 0.75'"), "SHIP");
}

TEST(JudgeRun, ComparesWithWhatXzAndThe5GramModelNeeded) {
  RunExample example;
  EXPECT_THAT(judged(example, "bits_per_byte: '<= xz'"), AllOf(StartsWith("HOLD"), HasSubstr("xz, which is 2.0")));
  EXPECT_THAT(judged(example, "bits_per_byte: '<= ngram5'"), HasSubstr("ngram5, which is 2.25"));
  EXPECT_EQ(judged(example, "bits_per_byte: '<= xz + 0.5'"), "SHIP");
  EXPECT_EQ(judged(example, "bits_per_byte: '<= xz + 25 %'"), "SHIP");
}

TEST(JudgeRun, TakesTheReportsNumberBeforeTheTrainingStages) {
  RunExample example;
  EXPECT_EQ(judged(example, "bits_per_byte: '== 2.5', loss: '== 3.5'"), "SHIP");
}

TEST(JudgeRun, NamesEveryGateThatFails) {
  RunExample example;
  EXPECT_THAT(judged(example, "bits_per_byte: '<= xz', perplexity: '<= 10', loss: '<= 4', speed: '>= 1'"),
              AllOf(StartsWith("HOLD"), HasSubstr("bits_per_byte"), HasSubstr("perplexity"), HasSubstr("speed"), Not(HasSubstr("loss"))));
}

TEST(JudgeRun, CountsCostAndTimeOfAllStages) {
  RunExample example;
  EXPECT_EQ(judged(example, "cost_total_usd: '== 0.75', wall_clock_total_sec: '== 40'"), "SHIP");
}

TEST(JudgeRun, EntersTheVerdictInTheRecord) {
  RunExample example;
  RunRecord record = example.finished("bits_per_byte: '<= xz'");

  judge_run(record, example.store);

  const Node verdict = RunRecord::load(example.run)->tree().at("verdict");
  EXPECT_EQ(verdict.at("answer").text(), "HOLD");
  const Node& gate = verdict.at("gates").items().at(0);
  EXPECT_EQ(gate.at("value").number(), 2.5);
  EXPECT_EQ(gate.at("bound").number(), 2.0);
  EXPECT_EQ(gate.at("passed"), Node(false));
}

TEST(JudgeRun, ReadsABaselineByItsDigest) {
  RunExample example;
  const ArtifactRecord earlier =
      example.put(ArtifactType::eval_report, "an earlier key", "an earlier report", RunExample::tree_of("{bits_per_byte: 2.75}"));

  EXPECT_EQ(judged(example, "bits_per_byte: '<= baseline - 0.25'", "baseline: " + earlier.digest.to_string() + "\n"), "SHIP");
}

TEST(JudgeRun, ReadsABaselineFromAReportOrARecord) {
  RunExample example;
  std::ofstream(example.folder / "report.json") << "{\"bits_per_byte\": 2.25}";
  std::ofstream(example.folder / "record.yaml") << "name: earlier\nstages:\n  10_evaluate:\n    metrics:\n      bits_per_byte: 3.0\n";

  EXPECT_THAT(judged(example, "bits_per_byte: '<= baseline'", "baseline: " + (example.folder / "report.json").string() + "\n"), HasSubstr("2.25"));
  EXPECT_EQ(judged(example, "bits_per_byte: '<= baseline - 0.5'", "baseline: " + (example.folder / "record.yaml").string() + "\n"), "SHIP");
}

TEST(JudgeRun, ReadsABaselineFromARunDirectory) {
  RunExample example;
  fs::create_directories(example.folder / "earlier");
  std::ofstream(example.folder / "earlier" / "manifest.out.yaml")
      << "name: earlier\nstages:\n  10_evaluate:\n    metrics:\n      bits_per_byte: 3.0\n";

  EXPECT_EQ(judged(example, "bits_per_byte: '<= baseline - 0.5'", "baseline: " + (example.folder / "earlier").string() + "\n"), "SHIP");
}

TEST(JudgeRun, RefusesABaselineThatIsNotThere) {
  RunExample example;
  EXPECT_THROW(judged(example, "bits_per_byte: '<= baseline'", "baseline: " + sha256("nothing").to_string() + "\n"), UsageError);
}

TEST(JudgeRun, HoldsWhereTheBaselineWasNotMeasured) {
  RunExample example;
  EXPECT_THAT(judged(example, "bits_per_byte: '<= baseline'"), AllOf(StartsWith("HOLD"), HasSubstr("baseline")));
}

TEST(JudgeRun, TrustsNoDamagedReport) {
  RunExample example;
  RunRecord record = example.finished("bits_per_byte: '<= 3'");
  const fs::path report = example.store.folder_of(*record.output_of("10_evaluate")) / "content.txt";
  fs::permissions(report, fs::perms::owner_all);
  std::ofstream(report) << "rePort";

  try {
    judge_run(record, example.store);
    FAIL() << "a damaged report was judged";
  } catch (const ContractError& error) {
    EXPECT_EQ(error.code(), ExitCode::contract);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("content.txt"), HasSubstr(sha256("report").to_string()), HasSubstr(sha256("rePort").to_string())));
  }
}

// ---- What a person sees at the end.

struct Concluded {
  int code;
  std::string said;
};

Concluded concluded(RunExample& example, const std::string& gates, const std::string& more = "", bool json = false) {
  example.finished(gates, more);
  testing::internal::CaptureStdout();
  const int code = conclude(example.run, example.store, Invocation{.json = json});
  return {code, testing::internal::GetCapturedStdout()};
}

TEST(Conclude, EndsWithTheVerdictAlone) {
  RunExample example;
  const Concluded ship = concluded(example, "bits_per_byte: '<= 3'");
  EXPECT_EQ(ship.code, 0);
  EXPECT_THAT(ship.said, EndsWith("\nSHIP\n"));

  const Concluded hold = concluded(example, "bits_per_byte: '<= 2'");
  EXPECT_EQ(hold.code, static_cast<int>(ExitCode::hold));
  EXPECT_THAT(hold.said.substr(hold.said.rfind('\n', hold.said.size() - 2) + 1), StartsWith("HOLD: bits_per_byte"));
}

TEST(Conclude, ShowsEachStageAndEachGate) {
  RunExample example;
  const std::string said = concluded(example, "bits_per_byte: '<= xz', perplexity: '<= 20'").said;

  EXPECT_THAT(said, AllOf(HasSubstr("04_pretrain"), HasSubstr("10_evaluate"), HasSubstr("bits_per_byte 2.5"), HasSubstr("$0.2500"),
                          HasSubstr("FAIL   bits_per_byte"), HasSubstr("pass   perplexity")));
}

TEST(Conclude, GivesProgramsOneLineOfJsonAlone) {
  RunExample example;
  const std::string said = concluded(example, "bits_per_byte: '<= 3'", "", true).said;

  EXPECT_EQ(parse_json(said, "stdout").at("verdict").at("answer").text(), "SHIP");
  EXPECT_EQ(said.find('\n'), said.size() - 1);
}

TEST(Conclude, FlagsEveryDifferenceFromTheReference) {
  RunExample example;
  fs::create_directories(example.folder / "earlier");
  std::ofstream(example.folder / "earlier" / "manifest.out.yaml")
      << "name: example\nseed: 7\nstages:\n  04_pretrain:\n    kind: pretrain\n    cost_usd: 99.0\n";

  const std::string said = concluded(example, "bits_per_byte: '<= 3'", "reference: " + (example.folder / "earlier").string() + "\n").said;

  EXPECT_THAT(said, AllOf(HasSubstr("differs from"), HasSubstr("seed"), HasSubstr("04_pretrain.output_hash"), Not(HasSubstr("cost_usd"))));
  EXPECT_THAT(RunRecord::load(example.run)->tree().at("differences").items(), Not(testing::IsEmpty()));
}

}   // namespace
}   // namespace lastro
