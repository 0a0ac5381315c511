#include <gmock/gmock.h>

#include <algorithm>

#include "core/files.h"
#include "pipeline/finished_run.h"

namespace lastro::pipeline {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// launch/lastro with these words, as a shell starts it whose command line ends with `redirection`.
Ended redirected(const Workplace& here, const Words& words, const std::string& redirection) {
  Words command{"sh", "-c", "exec \"$LAUNCH/lastro\" \"$@\" " + redirection, "sh"};
  command.insert(command.end(), words.begin(), words.end());
  return here.command(command);
}

std::size_t lines_in(const std::string& text) { return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')); }

class WhatStdoutDoesNotTake : public AFinishedRun {
 protected:
  // Every command that answers on stdout alone.
  std::vector<Words> commands() const {
    const std::string run = here.run, store = here.store, texts = here.write("in.jsonl", "{\"text\": \"Once\"}\n");
    return {{"--help"},
            {"--version"},
            {},
            {"run", "--help"},
            {"schema"},
            {"reference"},
            {"doctor", "--store", store},
            {"gc", "--store", store},
            {"status", run},
            {"verify", run},
            {"gate", run},
            {"gate", run, "--json"},
            {"diff", run, run},
            {"rollback", run, "10_evaluate", "--dry-run"},
            {"tokenize", run, "--input", texts},
            {"score", run, "--input", texts},
            {"sample", run, "--tokens", "2"},
            {"sample", run, "--tokens", "2", "--json"},
            here.words_of("plan"),
            here.words_of("run"),
            here.words_of("run", {"--json"})};
  }

  void expect_refusals(const std::string& redirection, const std::string& reason) const {
    for (const Words& words : commands()) {
      const Ended ended = redirected(here, words, redirection);
      const std::string verb = words.empty() ? "no command" : words.front();
      EXPECT_EQ(ended.exit_code, 3) << verb << '\n' << ended;
      EXPECT_THAT(ended.err, StartsWith("lastro: stdout cannot be written (" + reason)) << verb;
      EXPECT_EQ(lines_in(ended.err), 1u) << verb << '\n' << ended;
    }
  }
};

TEST_F(WhatStdoutDoesNotTake, IsARefusalOfTheMachineWhereTheDiskIsFull) { expect_refusals("> /dev/full", "No space left on device)"); }

TEST_F(WhatStdoutDoesNotTake, IsARefusalOfTheMachineWhereItIsClosed) { expect_refusals(">&-", "Bad file descriptor) it is closed"); }

TEST_F(WhatStdoutDoesNotTake, IsARefusalOfTheMachineBeyondTheLargestFile) {
  const Ended limited = here.command({"sh", "-c", "ulimit -f 1; exec \"$LAUNCH/lastro\" reference > reference.md"});

  EXPECT_EQ(limited.exit_code, 3) << limited;
  EXPECT_THAT(limited.err, HasSubstr("File too large"));
}

// Whoever reads exit codes goes on from them: to a second run, or to an archive.
TEST_F(WhatStdoutDoesNotTake, LeavesAFailureItsOwnExitCode) {
  here.manifest = here.write("strict.yaml", read_file(small_manifest()) + "  perplexity: \"<= 1\"\n");
  ASSERT_EQ(here.run_it().exit_code, 5);

  for (const Words& words : {here.words_of("run"), here.words_of("run", {"--json"}), Words{"gate", here.run.string()}}) {
    const Ended held = redirected(here, words, "> /dev/full");
    EXPECT_EQ(held.exit_code, 5) << held;
    EXPECT_THAT(held.err, HasSubstr("stdout cannot be written"));
  }
  const Ended refused = redirected(here, {"status", "nowhere", "--json"}, "> /dev/full");
  EXPECT_EQ(refused.exit_code, 2) << refused;
  EXPECT_EQ(lines_in(refused.err), 1u) << refused;
}

TEST_F(AFinishedRun, IsAskedAboutATextThatCannotBeReadAndSaysSo) {
  for (const char* const verb : {"tokenize", "score"}) {
    const Words words{verb, here.run.string(), "--store", here.store.string(), "--input", "-"};
    const Ended failing = here.ask(verb, {"--input", "/proc/self/mem"});
    const Ended closed = redirected(here, words, "<&-");
    const Ended folder = redirected(here, words, "< /");

    for (const auto& [ended, reason] : {std::pair{failing, "/proc/self/mem cannot be read (Input/output error)"},
                                        {closed, "stdin cannot be read (Bad file descriptor)"},
                                        {folder, "stdin cannot be read (Is a directory)"}}) {
      EXPECT_EQ(ended.exit_code, 3) << ended;
      EXPECT_THAT(ended.err, HasSubstr(reason));
    }
  }
}

// The run is whole: what it came to stands in its record.
TEST(ARunWithoutAnOutput, IsMadeAllTheSame) {
  for (const auto& [redirection, ranks] : {std::pair{"> /dev/full", "1"}, {"<&- >&- 2>&-", "2"}}) {
    const Workplace here;

    const Ended ended = redirected(here, here.words_of("run", {"--ranks", ranks}), redirection);

    EXPECT_EQ(ended.exit_code, 3) << redirection << '\n' << ended;
    EXPECT_EQ(here.digests(), golden("small")) << redirection;
    EXPECT_EQ(here.record().at("verdict").at("answer").text(), "SHIP");
    EXPECT_EQ(here.ask("verify").exit_code, 0) << "no word of either stream went into a file of the run";
  }
}

TEST_F(AFinishedRun, SpeaksJsonWhereStderrIsFull) {
  const Ended ended = redirected(here, here.words_of("run", {"--json"}), "2> /dev/full");

  EXPECT_EQ(ended.exit_code, 0) << ended;
  EXPECT_EQ(json_of(ended).at("verdict").at("answer").text(), "SHIP");
}

}   // namespace
}   // namespace lastro::pipeline
