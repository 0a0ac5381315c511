#include "app/terminal.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <thread>

#include "core/files.h"
#include "core/json.h"
#include "tests/support/temporary_folder.h"

namespace lastro {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

std::string shown(TerminalKind terminal, const TemporaryFolder& folder, const std::function<void(StageTracker&)>& work) {
  testing::internal::CaptureStdout();
  {
    StageTracker tracker("04_pretrain", terminal, folder.path());
    work(tracker);
  }
  std::fflush(stdout);
  return testing::internal::GetCapturedStdout();
}

TEST(StageTracker, PrintsWholeLinesOnAPlainTerminal) {
  const TemporaryFolder folder;
  const std::string said = shown(TerminalKind::plain, folder, [](StageTracker& tracker) {
    tracker.progress(1, 10, "step", "loss 3.5");
    tracker.progress(2, 10, "step", "loss 3.4");   // too soon after the first to be shown
    tracker.progress(10, 10, "step", "loss 3.0");
    tracker.finish("sha256:abc");
  });

  EXPECT_EQ(said.find('\r'), std::string::npos);
  EXPECT_THAT(said, AllOf(HasSubstr("04_pretrain    step 1/10  loss 3.5\n"), Not(HasSubstr("2/10")),
                          HasSubstr("04_pretrain    step 10/10  loss 3.0\n"), HasSubstr("04_pretrain    done in "), HasSubstr("  sha256:abc\n")));
}

TEST(StageTracker, ChangesOneLineInPlaceOnALiveTerminal) {
  const TemporaryFolder folder;
  const std::string said = shown(TerminalKind::live, folder, [](StageTracker& tracker) {
    tracker.progress(1, 10, "step", "loss 3.5");
    tracker.event("a checkpoint was passed over");
    tracker.progress(10, 10, "step", "loss 3.0");
  });

  EXPECT_EQ(said,
            "\r\033[K04_pretrain    step 1/10  loss 3.5"
            "\r\033[K04_pretrain    a checkpoint was passed over\n"
            "\r\033[K04_pretrain    step 10/10  loss 3.0"
            "\r\033[K");
}

TEST(StageTracker, TakesTheTimeLeftFromThePhaseThatIsUnderWayAlone) {
  const TemporaryFolder folder;
  const auto wait = [] { std::this_thread::sleep_for(std::chrono::milliseconds(210)); };   // a live line changes no sooner
  const std::string said = shown(TerminalKind::live, folder, [&](StageTracker& tracker) {
    tracker.progress(1, 0, "documents", "read");
    wait();
    tracker.progress(10, 1000, "documents", "signatures");
    wait();
    tracker.progress(900, 1000, "documents", "signatures");
    wait();
    tracker.progress(20, 1000, "documents", "tokenised");
  });

  EXPECT_THAT(said, AllOf(HasSubstr("documents 10/1000  signatures\r"), HasSubstr("documents 900/1000  signatures  ETA "),
                          HasSubstr("documents 20/1000  tokenised\r")));
}

TEST(StageTracker, KeepsSilentAndStillKeepsTheLog) {
  const TemporaryFolder folder;
  EXPECT_EQ(shown(TerminalKind::silent, folder, [](StageTracker& tracker) { tracker.event("a word"); }), "");
  EXPECT_THAT(read_file(folder / "logs/04_pretrain.log"), HasSubstr(" a word\n"));
}

TEST(StageTracker, AppendsMetricsAsLinesOfJson) {
  const TemporaryFolder folder;
  for (const double loss : {3.5, 3.25})
    shown(TerminalKind::silent, folder, [&](StageTracker& tracker) {
      Node values;
      values.set("step", 1);
      values.set("loss", loss);
      tracker.metrics(values);
    });

  const std::string lines = read_file(folder / "metrics.jsonl");
  const Node first = parse_json(lines.substr(0, lines.find('\n')), "metrics.jsonl");
  EXPECT_EQ(first.at("stage"), Node("04_pretrain"));
  EXPECT_EQ(first.at("loss"), Node(3.5));
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 2);
}

TEST(Terminal, BelievesTheFrontAboutItsTerminal) {
  ::setenv("LASTRO_TERMINAL", "live", 1);
  EXPECT_EQ(terminal_in_force(), TerminalKind::live);
  ::setenv("LASTRO_TERMINAL", "plain", 1);
  EXPECT_EQ(terminal_in_force(), TerminalKind::plain);
  ::unsetenv("LASTRO_TERMINAL");
}

TEST(Terminal, BeginsEachLineOfAnErrorWithItsName) {
  testing::internal::CaptureStderr();
  print_error("2 problems\nm.yaml:1: one");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "lastro: 2 problems\nlastro: m.yaml:1: one\n");
}

}   // namespace
}   // namespace lastro
