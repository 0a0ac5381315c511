#include <gmock/gmock.h>

#include <csignal>

#include "core/files.h"
#include "pipeline/finished_run.h"

namespace lastro::pipeline {
namespace {
namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* wrong_hash = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  const std::size_t place = text.find(what);
  EXPECT_NE(place, text.npos) << what;
  return place == text.npos ? text : text.replace(place, what.size(), by);
}

class AReplay : public AFinishedRun {
 protected:
  // Somewhere else, with nothing there.
  Workplace there;
};

TEST_F(AReplay, OfTheRecordReproducesItsHashesInAnEmptyFolder) {
  there.manifest = here.run / "manifest.out.yaml";

  const Ended replay = there.run_it({"--ranks", "2"});

  ASSERT_EQ(replay.exit_code, 0) << replay;
  EXPECT_EQ(there.digests(), here.digests());
  EXPECT_EQ(there.lastro({"diff", here.run.string(), there.run.string()}).exit_code, 0);
}

TEST_F(AReplay, OfAReplayIsARecordLikeAnyOther) {
  there.manifest = here.run / "manifest.out.yaml";
  ASSERT_EQ(there.run_it().exit_code, 0);
  here.manifest = there.run / "manifest.out.yaml";

  const Ended again = here.run_it();

  EXPECT_EQ(again.exit_code, 0) << again;
  EXPECT_EQ(here.digests(), golden("small"));
}

TEST_F(AReplay, ThatMakesAnythingElseStopsAndNamesTheStage) {
  const std::string record = read_file(here.run / "manifest.out.yaml");
  there.manifest =
      there.write("wrong.yaml", replaced(record, "output_hash: " + golden("small").at("03_dataset"), std::string("output_hash: ") + wrong_hash));

  const Ended replay = there.run_it();

  EXPECT_EQ(replay.exit_code, 4) << replay;
  EXPECT_THAT(replay.err, AllOf(HasSubstr("03_dataset"), HasSubstr(wrong_hash), HasSubstr(golden("small").at("03_dataset"))));
  EXPECT_EQ(there.status_of("02_tokenizer"), "done");
  EXPECT_EQ(there.status_of("03_dataset"), "failed");
  EXPECT_EQ(there.status_of("04_pretrain"), "");
}

TEST_F(AReplay, WhoseStoreHasSomethingElseStopsToo) {
  const std::string record = read_file(here.run / "manifest.out.yaml");
  here.manifest =
      here.write("wrong.yaml", replaced(record, "output_hash: " + golden("small").at("03_dataset"), std::string("output_hash: ") + wrong_hash));

  const Ended replay = here.run_it();

  EXPECT_EQ(replay.exit_code, 4) << replay;
  EXPECT_THAT(replay.err, AllOf(HasSubstr("03_dataset"), HasSubstr(wrong_hash)));
}

TEST_F(AReplay, OfAStageThatWasInterruptedIsTakenUpAsTheManifestItIs) {
  const auto front = there.start_run();
  wait_for_step(there, 3);
  front->signal(SIGTERM);
  ASSERT_EQ(front->wait().exit_code, 7);
  here.manifest = there.run / "manifest.out.yaml";

  const Ended replay = here.run_it();

  EXPECT_EQ(replay.exit_code, 0) << replay;
}

TEST(Expected, OutputHashThatIsMetPasses) {
  const Workplace here;

  const Ended ended = here.run_it({"--set", "stages.02_tokenizer.expect.output_hash=" + golden("small").at("02_tokenizer")});

  EXPECT_EQ(ended.exit_code, 0) << ended;
}

TEST(Expected, OutputHashThatIsNotMetStopsTheRun) {
  const Workplace here;

  const Ended ended = here.run_it({"--set", std::string("stages.02_tokenizer.expect.output_hash=") + wrong_hash});

  EXPECT_EQ(ended.exit_code, 4) << ended;
  EXPECT_THAT(ended.err, AllOf(HasSubstr("02_tokenizer"), HasSubstr(wrong_hash)));
}

TEST_F(AReplay, IsComparedWithItsReferenceAndEveryDifferenceIsFlagged) {
  const std::string reference = "reference=" + here.run.string();

  const Ended same = there.run_it({"--set", reference});
  const Ended other = there.run_it({"--set", reference, "--set", "stages.04_pretrain.settings.steps=30"});

  EXPECT_EQ(same.exit_code, 0) << same;
  EXPECT_EQ(there.run_it({"--set", reference, "--set", "stages.04_pretrain.settings.steps=30"}).exit_code, 0);
  EXPECT_EQ(same.out.find("differs from"), std::string::npos) << same;
  EXPECT_THAT(other.out, AllOf(HasSubstr("04_pretrain.settings.steps was 40, is 30"), HasSubstr("04_pretrain.output_hash"),
                               HasSubstr("10_evaluate.output_hash")));
  EXPECT_FALSE(there.record().at("differences").items().empty());
}

TEST_F(AReplay, DiffersByWhatDiffSays) {
  ASSERT_EQ(there.run_it({"--set", "stages.10_evaluate.settings.overlap=0.25"}).exit_code, 0);

  const Ended same = here.lastro({"diff", here.run.string(), here.run.string()});
  const Ended diff = here.lastro({"diff", here.run.string(), there.run.string(), "--json"});

  EXPECT_EQ(same.exit_code, 0) << same;
  EXPECT_EQ(diff.exit_code, 4) << diff;
  const Node differences = json_of(diff).at("differences");
  bool names_the_setting = false;
  for (const Node& line : differences.items()) names_the_setting |= line.text().find("settings.overlap") != std::string::npos;
  EXPECT_TRUE(names_the_setting) << diff;
}

}   // namespace
}   // namespace lastro::pipeline
