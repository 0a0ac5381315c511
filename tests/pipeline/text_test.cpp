#include <gmock/gmock.h>

#include <fstream>

#include "pipeline/workplace.h"

namespace lastro::pipeline {
namespace {
namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

// Paragraphs of plain words, every one another; enough for the vocabulary, the shards and some held-out text.
std::string some_text(int paragraphs = 400) {
  static const char* const words[] = {"the", "ship",  "sails", "with",  "stone", "in",     "its",  "hold",
                                      "and", "water", "over",  "green", "hills", "slowly", "night"};
  std::string text;
  std::uint32_t state = 1;
  for (int paragraph = 0; paragraph < paragraphs; ++paragraph) {
    for (int word = 0; word < 40; ++word) {
      state = state * 1664525 + 1013904223;
      text += words[(state >> 16) % std::size(words)];
      text += word == 39 ? ".\n\n" : " ";
    }
  }
  return text;
}

// The small pipeline on a file of the user's.
class OnATextOf : public ::testing::Test {
 protected:
  void use(const std::string& text, const std::string& name = "mine.txt") {
    file = here.write(name, text);
    here.manifest =
        here.write("m.yaml", "name: mine\nsources:\n  mine: {path: " + name +
                                 "}\nstages:\n"
                                 "  01_vocabulary: {kind: vocabulary, inputs: {text: mine}, settings: {size: 300}}\n"
                                 "  02_tokenizer: {kind: tokenizer, inputs: {vocabulary: 01_vocabulary}}\n"
                                 "  03_dataset: {kind: dataset, inputs: {tokenizer: 02_tokenizer, text: mine}, settings: {held_out: 0.1}}\n"
                                 "  04_pretrain: {kind: pretrain, recipe: tiny, inputs: {dataset: 03_dataset}, settings: {steps: 20}}\n"
                                 "  10_evaluate: {kind: evaluate, inputs: {model: 04_pretrain, dataset: 03_dataset}}\n");
  }

  // A refusal: the right exit code, one message, no crash, and a stop that is prompt on all ranks.
  void expect_refusal(const Ended& ended, const std::string& what) const {
    EXPECT_THAT(ended.exit_code, AnyOf(2, 4)) << ended;
    EXPECT_THAT(ended.err, AllOf(HasSubstr("lastro: "), HasSubstr(what), Not(HasSubstr("internal"))));
  }

  Workplace here;
  fs::path file;
};

TEST_F(OnATextOf, OnesOwnRunsToTheEnd) {
  use(some_text());

  const Ended ended = here.run_it();

  EXPECT_EQ(ended.exit_code, 0) << ended;
  EXPECT_THAT(here.record().at("sources").at("mine").at("sha256").text(), ::testing::StartsWith("sha256:"));
}

TEST_F(OnATextOf, AFileThatIsMissingIsNamedWithItsPlace) {
  use(some_text());
  fs::remove(file);

  const Ended ended = here.run_it();

  expect_refusal(ended, "mine.txt");
  EXPECT_THAT(ended.err, HasSubstr("m.yaml:3:"));
}

TEST_F(OnATextOf, NothingIsRefusedClearly) {
  use("");
  expect_refusal(here.run_it({"--ranks", "2"}), "hold no text");
}

TEST_F(OnATextOf, BlanksOnlyIsRefusedClearly) {
  use("  \n\n \t\n");
  expect_refusal(here.run_it({"--ranks", "2"}), "no text");
}

TEST_F(OnATextOf, TheSameDocumentAllOverIsRefusedClearly) {
  std::string lines;
  for (int i = 0; i < 3000; ++i) lines += "{\"text\": \"the ship sails with stone in its hold, and water over green hills\"}\n";
  use(lines, "mine.jsonl");

  const Ended ended = here.run_it({"--ranks", "2"});

  expect_refusal(ended, "");
  EXPECT_THAT(ended.err, AnyOf(HasSubstr("duplicate"), HasSubstr("tokens"), HasSubstr("held")));
}

TEST_F(OnATextOf, RowsWithoutTheFieldOfTheTextAreNamedByTheFirstStage) {
  use("{\"body\": \"the ship sails\", \"id\": 1}\n{\"body\": \"with stone\"}\n", "mine.jsonl");

  const Ended ended = here.run_it({"--ranks", "2"});

  expect_refusal(ended, "mine.jsonl:1: no field \"text\" (the row has \"body\", \"id\")");
  EXPECT_THAT(ended.err, HasSubstr("sources.mine.text_field"));
  EXPECT_EQ(here.status_of("01_vocabulary"), "failed");
  EXPECT_EQ(here.run_it({"--set", "sources.mine.text_field=id"}).exit_code, 4);
}

TEST_F(OnATextOf, BytesThatAreNoUtf8RunsAndSaysSo) {
  std::string text = some_text();
  for (std::size_t i = 100; i < text.size(); i += 997) text[i] = static_cast<char>(0xE9);
  use(text);

  const Ended ended = here.run_it();

  EXPECT_EQ(ended.exit_code, 0) << ended;
  EXPECT_THAT(ended.out, HasSubstr("not UTF-8"));
}

TEST_F(OnATextOf, NulBytesRunsAndSaysSo) {
  std::string text = some_text();
  for (std::size_t i = 100; i < text.size(); i += 997) text[i] = '\0';
  use(text);

  const Ended ended = here.run_it();

  EXPECT_EQ(ended.exit_code, 0) << ended;
  EXPECT_THAT(ended.out, HasSubstr("control bytes"));
}

TEST_F(OnATextOf, OneLongLineRuns) {
  std::string text = some_text(3000);
  std::replace(text.begin(), text.end(), '\n', ' ');
  use(text + '\n' + some_text(30));

  EXPECT_THAT(here.run_it().exit_code, AnyOf(0, 4));
}

TEST_F(OnATextOf, RowsThatAreNoJsonIsRefusedWithTheRow) {
  std::string lines;
  for (int i = 0; i < 300; ++i) lines += "{\"text\": \"the ship of row " + std::to_string(i) + " sails\"" + (i % 3 == 0 ? "\n" : "}\n");
  use(lines, "mine.jsonl");

  const Ended ended = here.run_it();

  expect_refusal(ended, "mine");
  EXPECT_THAT(ended.err, HasSubstr("malformed"));
}

TEST_F(OnATextOf, TooManyMalformedRowsEndTheFirstStageThatReadsThem) {
  std::string lines;
  for (int i = 0; i < 300; ++i) lines += "{\"text\": \"the ship of row " + std::to_string(i) + " sails\"" + (i % 20 == 0 ? "\n" : "}\n");
  use(lines, "mine.jsonl");

  const Ended ended = here.run_it();

  EXPECT_EQ(ended.exit_code, 4) << ended;
  EXPECT_THAT(ended.err, AllOf(HasSubstr("15 of 300 rows are malformed"), HasSubstr("raise settings.malformed of every stage that reads it")));
  EXPECT_THAT(ended.out, Not(HasSubstr("02_tokenizer")));
}

TEST_F(OnATextOf, AFileThatChangedSinceTheRecordIsRefusedWithBothHashes) {
  use(some_text());
  ASSERT_EQ(here.run_it().exit_code, 0);
  const std::string recorded = here.record().at("sources").at("mine").at("sha256").text();
  here.write("mine.txt", some_text() + "more\n");
  here.manifest = here.run / "manifest.out.yaml";

  const Ended replay = here.run_it();

  EXPECT_THAT(replay.exit_code, AnyOf(2, 4)) << replay;
  EXPECT_THAT(replay.err, AllOf(HasSubstr("mine"), HasSubstr(recorded)));
}

TEST_F(OnATextOf, AFileThatChangedIsNamedByVerify) {
  use(some_text());
  ASSERT_EQ(here.run_it().exit_code, 0);
  ASSERT_EQ(here.ask("verify").exit_code, 0) << here.ask("verify");
  const std::string recorded = here.record().at("sources").at("mine").at("sha256").text();
  here.write("mine.txt", some_text() + "more\n");

  const Ended verify = here.ask("verify");

  EXPECT_EQ(verify.exit_code, 4) << verify;
  EXPECT_THAT(verify.out, AllOf(HasSubstr("damaged: mine.txt"), HasSubstr(recorded), HasSubstr("bring back the text")));
}

TEST_F(OnATextOf, AFileThatChangesInMidRunStopsTheRunAtTheStageThatReadsIt) {
  use(some_text());
  const auto front = here.start_run({"--ranks", "2"});
  wait_until("the first stage has begun", [&] { return fs::exists(here.run / "logs/01_vocabulary.log"); });
  std::ofstream(file, std::ios::app) << "changed";

  const Ended ended = front->wait();

  EXPECT_EQ(ended.exit_code, 4) << ended;
  EXPECT_THAT(ended.err, HasSubstr("mine.txt"));
}

}   // namespace
}   // namespace lastro::pipeline
