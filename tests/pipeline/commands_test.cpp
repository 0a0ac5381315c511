#include <gmock/gmock.h>

#include "core/files.h"
#include "pipeline/finished_run.h"

namespace lastro::pipeline {
namespace {
namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::StartsWith;

using Commands = AFinishedRun;

constexpr const char* two_texts = "{\"text\": \"Once upon a time there was a ship.\"}\n{\"text\": \"\\u00e9\\n\\u4e16\"}\n";

TEST_F(Commands, TokenizeWritesOneLineOfIdsForEachText) {
  const std::string input = here.write("in.jsonl", two_texts);

  const Ended ended = here.ask("tokenize", {"--input", input, "--json"});

  ASSERT_EQ(ended.exit_code, 0) << ended;
  const auto lines = json_lines_of(ended);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_GT(lines[0].at("ids").items().size(), 5u);
  EXPECT_EQ(lines[1].at("ids").items().size(), 6u) << "two bytes, a line's end, three bytes: this vocabulary has no merges for them";
}

TEST_F(Commands, ScoreGivesALogProbabilityForEachTokenOfTokenize) {
  const std::string input = here.write("in.jsonl", two_texts);

  const auto scored = json_lines_of(here.ask("score", {"--input", input, "--json"}));
  const auto tokenized = json_lines_of(here.ask("tokenize", {"--input", input, "--json"}));

  ASSERT_EQ(scored.size(), 2u);
  for (std::size_t i = 0; i < scored.size(); ++i) {
    EXPECT_EQ(scored[i].at("ids"), tokenized[i].at("ids"));
    EXPECT_EQ(scored[i].at("logprobs").items().size(), scored[i].at("ids").items().size());
    for (const Node& value : scored[i].at("logprobs").items()) EXPECT_LT(value.number(), 0.0);
  }
}

TEST_F(Commands, RefuseALineOfAnotherForm) {
  for (const char* const verb : {"tokenize", "score"}) {
    for (const auto& [row, reason] :
         {std::pair{"{\"text\": \"a", ":2:12: "}, {"{\"body\": \"a\"}", ":2: no text under"}, {"7", ":2: no text under"}}) {
      const Ended ended = here.ask(verb, {"--input", here.write("in.jsonl", std::string("{\"text\": \"a\"}\n") + row + "\n"), "--json"});
      EXPECT_EQ(ended.exit_code, 2) << ended;
      EXPECT_THAT(ended.out, AllOf(HasSubstr(std::string("in.jsonl") + reason), HasSubstr("each line is an object")));
    }
  }
}

// What comes behind a token has no part in its log-probability, to the bit.
TEST_F(Commands, ScoreOfABeginningIsTheBeginningOfTheScore) {
  const std::string input =
      here.write("in.jsonl", "{\"text\": \"Once upon a time\"}\n{\"text\": \"Once upon a time, a ship sailed over the hills.\"}\n");

  const auto scored = json_lines_of(here.ask("score", {"--input", input, "--json"}));

  ASSERT_EQ(scored.size(), 2u);
  const auto& shorter = scored[0].at("logprobs").items();
  const auto& longer = scored[1].at("logprobs").items();
  ASSERT_GT(longer.size(), shorter.size());
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    ASSERT_EQ(scored[0].at("ids").items()[i], scored[1].at("ids").items()[i]);
    EXPECT_EQ(shorter[i].number(), longer[i].number()) << "token " << i;
  }
}

TEST_F(Commands, SampleWithASeedWritesTheSameTextAgain) {
  const Ended one = here.ask("sample", {"--prompt", "Once", "--tokens", "20", "--seed", "5"});
  const Ended two = here.ask("sample", {"--prompt", "Once", "--tokens", "20", "--seed", "5"});
  const Ended other = here.ask("sample", {"--prompt", "Once", "--tokens", "20", "--seed", "6"});

  ASSERT_EQ(one.exit_code, 0) << one;
  EXPECT_THAT(one.out, StartsWith("Once"));
  EXPECT_EQ(one.out, two.out) << two;
  EXPECT_NE(one.out, other.out);
}

TEST_F(Commands, SampleSpeaksJson) {
  const Ended ended = here.ask("sample", {"--prompt", "Once", "--tokens", "4", "--temperature", "0", "--json"});

  ASSERT_EQ(ended.exit_code, 0) << ended;
  EXPECT_LE(json_of(ended).at("tokens").integer(), 4);
  EXPECT_EQ(json_of(ended).at("prompt").text(), "Once");
}

TEST_F(Commands, ExportWritesAHuggingFaceFolderAndOverwritesNothing) {
  const fs::path out = here / "hf";

  const Ended ended = here.ask("export", {"--format", "hf", out.string()});
  const Ended again = here.ask("export", {"--format", "hf", out.string()});

  ASSERT_EQ(ended.exit_code, 0) << ended;
  for (const char* name : {"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json", "generation_config.json"})
    EXPECT_TRUE(fs::exists(out / name)) << name;
  EXPECT_EQ(again.exit_code, 2) << again;
}

TEST_F(Commands, VerifySpeaksJson) {
  const Ended ended = here.ask("verify", {"--json"});

  ASSERT_EQ(ended.exit_code, 0) << ended;
  EXPECT_EQ(json_of(ended).at("artifacts").integer(), 5);
  EXPECT_EQ(json_of(ended).at("checkpoints").integer(), 2);
  EXPECT_TRUE(json_of(ended).at("damages").items().empty());
}

TEST_F(Commands, StatusSpeaksJson) {
  const Ended ended = here.ask("status", {"--json"});

  ASSERT_EQ(ended.exit_code, 0) << ended;
  const Node status = json_of(ended);
  for (const auto& [stage, digest] : golden("small")) {
    EXPECT_EQ(status.at("stages").at(stage).at("status").text(), "done");
    EXPECT_EQ(status.at("stages").at(stage).at("output_hash").text(), digest);
  }
  EXPECT_EQ(status.at("verdict").at("answer").text(), "SHIP");
}

TEST_F(Commands, PlanSpeaksJson) {
  const Ended ended = here.lastro(here.words_of("plan", {"--json"}));

  ASSERT_EQ(ended.exit_code, 0) << ended;
  EXPECT_EQ(json_of(ended).at("stages").is_null(), false);
}

TEST_F(Commands, RunSpeaksJsonAlone) {
  const Ended ended = here.run_it({"--json"});

  ASSERT_EQ(ended.exit_code, 0) << ended;
  EXPECT_EQ(json_of(ended).at("verdict").at("answer").text(), "SHIP");
}

TEST_F(Commands, WriteAnErrorAsJsonToo) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"plan", (here / "absent.yaml").string(), "--json"},
                                                std::vector<std::string>{"status", (here / "absent").string(), "--json"},
                                                std::vector<std::string>{"sample", here.run.string(), "--tokens", "0", "--json"}}) {
    const Ended ended = here.lastro(words);

    EXPECT_NE(ended.exit_code, 0) << ended;
    EXPECT_EQ(json_of(ended).at("error").at("exit_code").integer(), ended.exit_code);
    EXPECT_THAT(ended.err, HasSubstr("lastro: "));
  }
}

TEST_F(Commands, SampleRefusesWhatIsNoNumberAndASeedThatDoesNotFit) {
  EXPECT_EQ(here.ask("sample", {"--temperature", "nan"}).exit_code, 2);
  EXPECT_EQ(here.ask("sample", {"--top-p", "nan"}).exit_code, 2);
  EXPECT_EQ(here.ask("sample", {"--seed", "99999999999999999999"}).exit_code, 2);
  EXPECT_EQ(here.ask("sample", {"--seed", "-1"}).exit_code, 2);
}

TEST_F(Commands, SampleSaysThatTheContextIsFull) {
  const Ended ended = here.ask("sample", {"--tokens", "5000", "--temperature", "0", "--json"});

  EXPECT_EQ(ended.exit_code, 0) << ended;
  const std::string finish = json_of(ended).at("finish").text();
  EXPECT_NE(finish, "length");
  EXPECT_EQ(finish == "context", ended.err.find("is full") != std::string::npos) << ended;
}

TEST_F(Commands, PlanRefusesWhatIsNoFileAndMoreStepsThanAreCounted) {
  EXPECT_EQ(here.lastro({"plan", "/dev/zero"}).exit_code, 2);
  EXPECT_EQ(here.lastro(here.words_of("plan", {"--set", "stages.04_pretrain.settings.steps=9223372036854775807"})).exit_code, 2);
}

TEST_F(Commands, FindTheStoreThatTheManifestNamesWithoutBeingTold) {
  Workplace there;
  there.manifest = there.write("m.yaml", read_file(small_manifest()) + "store: my-store\n");
  ASSERT_EQ(there.lastro({"run", there.manifest.string(), "--run", there.run.string()}).exit_code, 0);

  const Ended verify = there.lastro({"verify", there.run.string()});

  EXPECT_EQ(verify.exit_code, 0) << verify;
}

TEST_F(Commands, OnAFolderThatIsNoRunSaySo) {
  for (const char* verb : {"status", "verify", "gate", "sample"}) {
    const Ended ended = here.lastro({verb, (here / "nowhere").string()});

    EXPECT_EQ(ended.exit_code, 2) << verb << '\n' << ended;
    EXPECT_THAT(ended.err, HasSubstr("nowhere is no run"));
  }
}

TEST(TheProgram, SaysItsVersionAndTeachesItself) {
  const Workplace here;

  EXPECT_THAT(here.lastro({"--version"}).out, ContainsRegex("^lastro [0-9]+\\.[0-9]+\\.[0-9]+ "));
  const Ended help = here.lastro({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  for (const char* verb :
       {"plan", "run", "gate", "status", "verify", "diff", "rollback", "audit", "sample", "score", "tokenize", "export", "gc", "doctor"})
    EXPECT_THAT(help.out, HasSubstr(verb));
  EXPECT_EQ(here.lastro({"doctor", "--json"}).exit_code, 0);
}

TEST(TheProgram, LooksAtTheStoreThatIsNamed) {
  const Workplace here;
  here.write("a-file", "");

  const Ended absent = here.lastro({"doctor", "--json", "--store", (here / "nosuch").string()});
  const Ended barred = here.lastro({"doctor", "--json", "--store", (here / "a-file").string()});
  const Ended below = here.lastro({"doctor", "--store", (here / "a-file").string() + "/store"});

  EXPECT_EQ(absent.exit_code, 0) << "the first run makes it\n" << absent;
  EXPECT_THAT(json_of(absent).at("store").text(), HasSubstr("nosuch (not there yet: the first run makes it)"));
  EXPECT_EQ(barred.exit_code, 3) << barred;
  EXPECT_THAT(barred.out, HasSubstr("a-file is a file (the store is a folder) name another with --store"));
  EXPECT_EQ(below.exit_code, 3) << below;
}

TEST(TheProgram, PrintsASchemaOfManifests) {
  const Ended ended = Workplace().lastro({"schema"});

  EXPECT_EQ(ended.exit_code, 0) << ended;
  EXPECT_THAT(ended.out, HasSubstr("\"pretrain\""));
}

}   // namespace
}   // namespace lastro::pipeline
