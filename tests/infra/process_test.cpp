#include "infra/posix/process.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <csignal>
#include <thread>

namespace lastro {
namespace {

using testing::ElementsAre;

TEST(RunChild, ReturnsExitCodesAndErrorLines) {
  std::vector<std::string> lines;

  const ChildEnd end = run_child({"/bin/sh", "-c", "echo one >&2; echo $WORD >&2; exit 7"}, {{"WORD", "two"}},
                                 [&](std::string_view line) { lines.emplace_back(line); });

  EXPECT_EQ(end.exit_code, 7);
  EXPECT_THAT(lines, ElementsAre("one", "two"));
}

TEST(RunChild, SaysThatAProgramIsMissing) {
  std::vector<std::string> lines;

  EXPECT_EQ(run_child({"/nowhere/at-all"}, {}, [&](std::string_view line) { lines.emplace_back(line); }).exit_code, 127);
  EXPECT_THAT(lines, ElementsAre(testing::HasSubstr("/nowhere/at-all cannot be started")));
}

TEST(RunChild, TurnsAnInterruptIntoARequestToSave) {
  std::thread interrupts;

  const ChildEnd end = run_child({"/bin/sh", "-c", "trap 'exit 7' USR1; echo ready >&2; while :; do sleep 0.05; done"}, {},
                                 [&](std::string_view) { interrupts = std::thread([] { ::kill(::getpid(), SIGINT); }); });
  interrupts.join();

  EXPECT_EQ(end.exit_code, 7);
}

TEST(RunChild, ReportsADeathBySignal) {
  EXPECT_EQ(run_child({"/bin/sh", "-c", "kill -9 $$"}, {}, [](std::string_view) {}).signal, SIGKILL);
}

}   // namespace
}   // namespace lastro
