#include <gmock/gmock.h>

#include "core/files.h"
#include "pipeline/workplace.h"

namespace lastro::pipeline {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// A part of the small manifest and what stands there instead, and what run and plan have to say of it.
struct Mistake {
  std::string name;
  std::string was;
  std::string is;
  std::string place;   // line:column
  std::string message;
};
void PrintTo(const Mistake& mistake, std::ostream* to) { *to << mistake.is; }

class AManifestWith : public ::testing::TestWithParam<Mistake> {};

TEST_P(AManifestWith, IsRefusedWithThePlace) {
  const Mistake mistake = GetParam();
  Workplace here;
  std::string text = read_file(small_manifest());
  ASSERT_NE(text.find(mistake.was), text.npos);
  text.replace(text.find(mistake.was), mistake.was.size(), mistake.is);
  here.manifest = here.write("m.yaml", text);

  for (const char* verb : {"plan", "run"}) {
    const Ended refused = here.lastro(here.words_of(verb));

    EXPECT_EQ(refused.exit_code, 2) << refused;
    EXPECT_THAT(refused.err, AllOf(HasSubstr("m.yaml:" + mistake.place + ": "), HasSubstr(mistake.message)));
  }
  EXPECT_FALSE(std::filesystem::exists(here.run)) << "a refused manifest leaves nothing behind";
}

INSTANTIATE_TEST_SUITE_P(All, AManifestWith,
                         ::testing::Values(Mistake{"AnUnknownKey", "rates: {", "rate: {", "6:1", "rates"},
                                           Mistake{"AnUnknownSetting", "steps: 40", "stepps: 40", "18:7", "steps"},
                                           Mistake{"AWrongType", "steps: 40", "steps: many", "18:14", "many"},
                                           Mistake{"AWrongKind", "kind: pretrain", "kind: pretrian", "14:11", "pretrain"},
                                           Mistake{"AnUnclosedBracket", "budget: {cost_usd: 0.10}", "budget: {cost_usd: 0.10", "5:9", "not closed"},
                                           Mistake{"AKeyTwice", "seed: 7", "seed: 7\nseed: 8", "5:1", "seed"},
                                           Mistake{"ADanglingInput", "dataset: 03_dataset}", "dataset: 03_datset}", "16:23", "03_dataset"},
                                           Mistake{"ACycle", "{vocabulary: 01_vocabulary}", "{vocabulary: 02_tokenizer}", "11:3", "a cycle"},
                                           Mistake{"AnInputOfAnotherType", "model: 04_pretrain", "model: 03_dataset", "20:51", "dataset"},
                                           Mistake{"AGateThatIsNone", "\"<= 8\"", "about 8", "22:18", "must begin with"}),
                         [](const auto& one) { return one.param.name; });

TEST(AManifest, ThatIsMissingIsSaidToBe) {
  Workplace here;
  here.manifest = here / "nowhere.yaml";

  const Ended refused = here.run_it();

  EXPECT_EQ(refused.exit_code, 2) << refused;
  EXPECT_THAT(refused.err, AllOf(StartsWith("lastro: "), HasSubstr("nowhere.yaml does not exist")));
}

TEST(AManifest, ThatIsAFolderIsRefused) {
  Workplace here;
  here.manifest = here / "folder";
  std::filesystem::create_directories(here.manifest);

  const Ended refused = here.run_it();

  EXPECT_EQ(refused.exit_code, 2) << refused;
  EXPECT_THAT(refused.err, HasSubstr("folder is a folder (a manifest is a file)"));
}

TEST(AManifest, ThatIsNoYamlIsRefused) {
  for (const std::string& text : {std::string(), std::string("\0\1\2", 3), std::string("\xff\xfe"), std::string("- a\n- b\n"), std::string("{{{")}) {
    Workplace here;
    here.manifest = here.write("m.yaml", text);

    const Ended refused = here.run_it();

    EXPECT_EQ(refused.exit_code, 2) << refused;
    EXPECT_THAT(refused.err, HasSubstr("m.yaml:"));
  }
}

TEST(AManifest, WithSeveralMistakesIsToldOfAllAtOnce) {
  Workplace here;
  here.manifest = here.write("m.yaml", "name: x\nsead: 1\nstages:\n  01_vocabulary: {kind: vocabulry, inputs: {}}\ngates: {a: 3}\n");

  const Ended refused = here.run_it();

  EXPECT_EQ(refused.exit_code, 2) << refused;
  EXPECT_THAT(refused.err, AllOf(HasSubstr("m.yaml:2:1: "), HasSubstr("m.yaml:4:"), HasSubstr("m.yaml:5:")));
}

TEST(ASetting, ThatSetGetsWrongNamesTheOption) {
  const Workplace here;

  const Ended refused = here.run_it({"--set", "stages.04_pretrain.settings.stepps=3"});

  EXPECT_EQ(refused.exit_code, 2) << refused;
  EXPECT_THAT(refused.err, AllOf(HasSubstr("--set"), HasSubstr("steps")));
}

TEST(TheCommandLine, ThatNobodyUnderstandsIsRefused) {
  const Workplace here;

  for (const Words& words :
       {Words{"fly"}, Words{"run"}, Words{"run", "m.yaml", "--ranks", "0"}, Words{"run", "m.yaml", "--rank", "2"}, Words{"gate"}}) {
    const Ended refused = here.lastro(words);

    EXPECT_EQ(refused.exit_code, 2) << words.back() << '\n' << refused;
    EXPECT_THAT(refused.err, AllOf(StartsWith("lastro: "), HasSubstr("--help")));
  }
}

TEST(MoreRanks, ThanLeavesAreRefusedWithNumbers) {
  const Workplace here;

  const Ended refused = here.run_it({"--ranks", "5"});

  EXPECT_EQ(refused.exit_code, 2) << refused;
  EXPECT_THAT(refused.err, AllOf(HasSubstr("leaves"), HasSubstr("5"), HasSubstr("4")));
}

}   // namespace
}   // namespace lastro::pipeline
