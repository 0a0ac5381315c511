#include "app/command_line.h"

#include <gmock/gmock.h>

#include "core/json.h"
#include "domain/errors.h"
#include "domain/version.h"

namespace lastro {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

Invocation parsed(std::vector<std::string> words) {
  words.insert(words.begin(), "lastro");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  return parse_command_line(static_cast<int>(arguments.size()), arguments.data());
}

std::string refusal(const std::vector<std::string>& words) {
  try {
    parsed(words);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "not refused";
}

TEST(CommandLine, TakesEveryOptionOfRun) {
  const Invocation run = parsed(
      {"run", "m.yaml", "--ranks", "4", "--threads", "2", "--run", "there", "--store", "shop", "--set", "a.b=1", "--set", "c=[x, y]", "--json"});

  EXPECT_EQ(run.command, "run");
  EXPECT_EQ(run.subject, "m.yaml");
  EXPECT_EQ(run.ranks, 4);
  EXPECT_EQ(run.threads, 2);
  EXPECT_EQ(run.run, "there");
  EXPECT_EQ(run.store, "shop");
  EXPECT_THAT(run.sets, ElementsAre("a.b=1", "c=[x, y]"));
  EXPECT_TRUE(run.json);
}

TEST(CommandLine, LeavesDefaultsWhereNothingIsSaid) {
  const Invocation run = parsed({"run", "m.yaml"});

  EXPECT_EQ(run.ranks, 1);
  EXPECT_EQ(run.threads, 0);
  EXPECT_TRUE(run.run.empty());
  EXPECT_TRUE(run.store.empty());
  EXPECT_THAT(run.sets, testing::IsEmpty());
  EXPECT_FALSE(run.json);
}

TEST(CommandLine, TakesAManifestBehindASet) {
  const Invocation run = parsed({"run", "--set", "seed=3", "m.yaml"});

  EXPECT_EQ(run.subject, "m.yaml");
  EXPECT_THAT(run.sets, ElementsAre("seed=3"));
}

TEST(CommandLine, EveryCommandThatReportsTakesJson) {
  for (const auto& words : std::vector<std::vector<std::string>>{{"plan", "m"},
                                                                 {"run", "m"},
                                                                 {"gate", "r"},
                                                                 {"rollback", "r", "s"},
                                                                 {"status", "r"},
                                                                 {"verify", "r"},
                                                                 {"diff", "r", "s"},
                                                                 {"gc"},
                                                                 {"doctor"},
                                                                 {"sample", "r"},
                                                                 {"score", "r", "--input", "f"},
                                                                 {"tokenize", "r", "--input", "f"},
                                                                 {"export", "r", "d"},
                                                                 {"audit", "r"}}) {
    std::vector<std::string> asked = words;
    asked.push_back("--json");
    EXPECT_TRUE(parsed(asked).json) << words.front();
    EXPECT_EQ(parsed(words).command, words.front());
  }
}

TEST(CommandLine, RefusesWhatItDoesNotKnowAndSaysWhereHelpIs) {
  EXPECT_THAT(refusal({"run", "m.yaml", "--rank", "4"}), AllOf(HasSubstr("--rank"), HasSubstr("see lastro run --help")));
  EXPECT_THAT(refusal({"rnu", "m.yaml"}), AllOf(HasSubstr("rnu"), HasSubstr("run")));
  EXPECT_THAT(refusal({"run"}), HasSubstr("MANIFEST"));
}

TEST(CommandLine, TakesARunByItsPlaceOrByItsOption) {
  EXPECT_EQ(parsed({"status", "runs/a"}).subject, "runs/a");
  EXPECT_EQ(parsed({"status", "--run", "runs/a"}).subject, "runs/a");
  EXPECT_EQ(parsed({"rollback", "--run", "runs/a", "04_pretrain", "--dry-run"}).stage, "04_pretrain");
  EXPECT_EQ(parsed({"rollback", "--run", "runs/a", "04_pretrain", "--dry-run"}).subject, "runs/a");
  EXPECT_EQ(parsed({"export", "there", "--run", "runs/a"}).other, "there");
  EXPECT_EQ(parsed({"verify", "runs/a/manifest.out.yaml", "--run", "./runs/a/"}).subject, "runs/a/manifest.out.yaml");
}

TEST(CommandLine, RefusesTwoRunsForOneCommandAndNone) {
  EXPECT_THAT(refusal({"status", "runs/a", "--run", "runs/b"}), AllOf(HasSubstr("runs/a"), HasSubstr("runs/b"), HasSubstr("name it once")));
  EXPECT_THAT(refusal({"rollback", "runs/a"}), HasSubstr("STAGE is missing"));
  EXPECT_THAT(refusal({"gate"}), AllOf(HasSubstr("which run?"), HasSubstr("see lastro gate --help")));
}

TEST(CommandLine, RefusesNumbersThatMakeNoSense) {
  EXPECT_THAT(refusal({"run", "m", "--ranks", "0"}), HasSubstr("--ranks"));
  EXPECT_THAT(refusal({"run", "m", "--threads", "-1"}), HasSubstr("--threads"));
  EXPECT_THAT(refusal({"run", "m", "--ranks", "many"}), HasSubstr("--ranks"));
  EXPECT_THAT(refusal({"sample", "r", "--top-p", "1.5"}), HasSubstr("--top-p"));
  EXPECT_THAT(refusal({"export", "r", "d", "--format", "onnx"}), HasSubstr("--format"));
}

TEST(CommandLine, PrintsHelpAndLeavesNothingToDo) {
  testing::internal::CaptureStdout();
  const Invocation help = parsed({"--help"});
  const std::string said = testing::internal::GetCapturedStdout();

  EXPECT_EQ(help.command, "");
  for (const char* command :
       {"plan", "run", "gate", "status", "verify", "diff", "rollback", "audit", "sample", "score", "tokenize", "export", "gc", "doctor"})
    EXPECT_THAT(said, HasSubstr(command));
  EXPECT_THAT(said, HasSubstr("Exit codes"));
}

TEST(CommandLine, PrintsItsVersion) {
  testing::internal::CaptureStdout();
  const Invocation version = parsed({"--version"});

  EXPECT_THAT(testing::internal::GetCapturedStdout(), testing::StartsWith("lastro "));
  EXPECT_EQ(version.command, "");
}

TEST(CommandLine, PrintsItsVersionAsJsonToo) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"--version", "--json"}, {"--json", "--version"}}) {
    testing::internal::CaptureStdout();
    parsed(words);

    const std::string said = testing::internal::GetCapturedStdout();

    EXPECT_EQ(parse_json(said, "stdout").at("version"), Node(std::string(program_version())));
  }
}

}   // namespace
}   // namespace lastro
