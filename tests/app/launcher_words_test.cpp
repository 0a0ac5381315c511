#include "app/launcher_words.h"

#include <gmock/gmock.h>

#include <initializer_list>

namespace lastro {
namespace {

constexpr auto rule = "--------------------------------------------------------------------------";

LauncherWords heard(std::initializer_list<const char*> lines) {
  LauncherWords words;
  for (const char* const line : lines) words.take(line);
  return words;
}

TEST(LauncherWords, NameARankThatASignalEnded) {
  const LauncherWords of_4 = heard({rule, "mpirun noticed that process rank 1 with PID 0 on node cloud-7 exited on signal 9 (Killed).", rule});
  EXPECT_EQ(of_4.dead(), "rank 1 died (signal 9 (Killed) on cloud-7)");
  EXPECT_TRUE(of_4.was_killed());

  const LauncherWords of_5 = heard({rule, "prterun noticed that process rank 1 with PID 647 on node vm exited on", "signal 9 (Killed).", rule});
  EXPECT_EQ(of_5.dead(), "rank 1 died (signal 9 (Killed) on vm)");

  const LauncherWords on_a_long_name = heard({rule, "prterun noticed that process rank 12 with PID 647 on node",
                                              "a-node-of-a-cluster.with.a.name-of-its-own exited", "on signal 11 (Segmentation", "fault).", rule});
  EXPECT_EQ(on_a_long_name.dead(), "rank 12 died (signal 11 (Segmentation fault) on a-node-of-a-cluster.with.a.name-of-its-own)");
}

TEST(LauncherWords, NameARankThatEndedByItself) {
  const LauncherWords of_4 =
      heard({rule, "mpirun detected that one or more processes exited with non-zero status, thus causing",
             "the job to be terminated. The first process to do so was:", "", "  Process name: [[27049,1],2]", "  Exit code:    6", rule});
  EXPECT_EQ(of_4.dead(), "rank 2 died (exit code 6)");
  EXPECT_FALSE(of_4.was_killed());

  const LauncherWords of_5 = heard({rule, "prterun detected that one or more processes exited with non-zero status,",
                                    "thus causing the job to be terminated. The first process to do so was:", "",
                                    "   Process name: [prterun-vm-650@1,1]", "   Exit code:    6", rule});
  EXPECT_EQ(of_5.dead(), "rank 1 died (exit code 6)");
}

// A rank that misses another ends too, and may be told first.
TEST(LauncherWords, TakeASignalForTheCause) {
  const LauncherWords words = heard({"   Process name: [prterun-vm-650@1,1]", "   Exit code:    8",
                                     "prterun noticed that process rank 2 with PID 647 on node vm exited on", "signal 9 (Killed)."});
  EXPECT_EQ(words.dead(), "rank 2 died (signal 9 (Killed) on vm)");
}

TEST(LauncherWords, KeepTheLastThatWasSaid) {
  EXPECT_EQ(heard({rule, "There are not enough slots available", "", rule}).last(), "There are not enough slots available");
  EXPECT_EQ(heard({}).last(), "");
  EXPECT_EQ(heard({"no rank is spoken of"}).dead(), "");
}

TEST(LauncherWords, FindADeathBehindManyOtherLines) {
  LauncherWords words;
  for (int i = 0; i < 10000; ++i) words.take("some library warns of something on standard error");
  words.take("prterun noticed that process rank 3 with PID 647 on node vm exited on");
  words.take("signal 9 (Killed).");
  EXPECT_EQ(words.dead(), "rank 3 died (signal 9 (Killed) on vm)");
}

}   // namespace
}   // namespace lastro
