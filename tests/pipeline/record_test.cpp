#include <gmock/gmock.h>

#include <fstream>

#include "core/files.h"
#include "pipeline/finished_run.h"

namespace lastro::pipeline {
namespace {
namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class ARecord : public AFinishedRun {
 protected:
  fs::path file() const { return here.run / "manifest.out.yaml"; }
  std::string whole = read_file(the_finished_run().run / "manifest.out.yaml");

  // Where a line begins.
  std::size_t place_of(const std::string& line) const {
    const std::size_t place = whole.find("\n" + line);
    EXPECT_NE(place, whole.npos) << line;
    return place + 1;
  }
  std::string with(const std::string& was, const std::string& is) const {
    std::string text = whole;
    EXPECT_NE(text.find(was), text.npos) << was;
    return text.replace(text.find(was), was.size(), is);
  }
};

// tests/runtime cuts a record at every byte; here, what a user sees where a cut looks most like a smaller run.
TEST_F(ARecord, ThatWasCutOffIsNoFinishedRunToAnyCommand) {
  for (const char* const line : {"  02_tokenizer:", "  10_evaluate:", "gates:", "verdict:", "record_sha256:"}) {
    SCOPED_TRACE(line);
    std::ofstream(file()) << whole.substr(0, place_of(line));

    for (const char* verb : {"status", "gate", "verify", "sample"}) {
      const Ended ended = here.ask(verb);
      EXPECT_EQ(ended.exit_code, 4) << verb << '\n' << ended;
      EXPECT_THAT(ended.err, AllOf(HasSubstr(file().string()), HasSubstr("was cut off"), HasSubstr("run the manifest again")));
    }
    EXPECT_EQ(here.ask("rollback", {"04_pretrain"}).exit_code, 4);
    EXPECT_EQ(here.lastro({"diff", the_finished_run().run.string(), here.run.string()}).exit_code, 4);
    const Ended run = here.lastro({"run", file().string(), "--run", (here / "new").string(), "--store", here.store.string()});
    EXPECT_EQ(run.exit_code, 2) << run;
    EXPECT_THAT(run.err, AllOf(HasSubstr("manifest.out.yaml:"), HasSubstr("was cut off"), HasSubstr("remove its line")));
  }
}

TEST_F(ARecord, ThatWasCutOffIsMadeAnewByTheRunAndKept) {
  const std::string cut = whole.substr(0, place_of("  10_evaluate:"));
  std::ofstream(file()) << cut;

  const Ended run = here.run_it();

  ASSERT_EQ(run.exit_code, 0) << run;
  EXPECT_THAT(run.err, HasSubstr("was cut off"));
  EXPECT_THAT(run.out, Not(HasSubstr("done in"))) << "the store has everything";
  EXPECT_EQ(here.digests(), golden("small"));
  EXPECT_EQ(read_file(here.run / "history/manifest.out-1.yaml"), cut);
  EXPECT_EQ(here.ask("status").exit_code, 0);
}

TEST_F(ARecord, ThatWasChangedIsTrustedByNoCommand) {
  std::ofstream(file()) << with("answer: SHIP", "answer: HOLD");

  const Ended status = here.ask("status", {"--json"});

  EXPECT_EQ(status.exit_code, 4) << status;
  EXPECT_EQ(json_of(status).at("error").at("exit_code").integer(), 4);
  EXPECT_THAT(status.err, HasSubstr("was changed after it was written"));
}

TEST_F(ARecord, WhoseCopyIsEditedIsANewManifestAndSaidToBe) {
  Workplace there;
  there.manifest = there.write("mine.yaml", with("steps: 40", "steps: 30"));

  const Ended run = there.run_it();

  ASSERT_EQ(run.exit_code, 0) << run;
  EXPECT_THAT(run.err, AllOf(HasSubstr("mine.yaml was changed after it was written"), HasSubstr("taken as a new manifest")));
  EXPECT_EQ(there.digests().at("03_dataset"), golden("small").at("03_dataset"));
  EXPECT_NE(there.digests().at("04_pretrain"), golden("small").at("04_pretrain"));
}

TEST_F(ARecord, ThatIsWholeIsReplayedWithoutAWord) {
  here.manifest = file();

  const Ended replay = here.run_it();

  EXPECT_EQ(replay.exit_code, 0) << replay;
  EXPECT_EQ(replay.err, "");
}

TEST_F(ARecord, OfARunThatIsRolledBackHasNoVerdict) {
  ASSERT_EQ(here.ask("rollback", {"10_evaluate"}).exit_code, 0);

  const Ended status = here.ask("status");

  EXPECT_EQ(status.exit_code, 0) << status;
  EXPECT_THAT(status.out, AllOf(HasSubstr("10_evaluate    waiting"), Not(HasSubstr("SHIP"))));
}

}   // namespace
}   // namespace lastro::pipeline
