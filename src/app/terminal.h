#pragma once

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <system_error>

#include "core/tracker.h"
#include "domain/errors.h"

namespace lastro {

enum class TerminalKind { live, plain, silent };   // live: one line a stage that changes in place

// The front's terminal when it says so (LASTRO_TERMINAL=live|plain), else this process's own stdout.
TerminalKind terminal_in_force();

// Writes an error to stderr, each of its lines after "lastro: ", by which a front knows its ranks' words from the launcher's.
void print_error(std::string_view text);

// {"error": {"exit_code": n, "message": text}} on stdout: what a program that asked for JSON reads when there is nothing else.
void print_error_json(ExitCode code, std::string_view text);

// What the system refused outside of our own words (filesystem_error is one), with what helps.
std::string words_for(const std::system_error& error);

// Whether the words hold --json, also where they are wrong.
bool asks_for_json(int argc, char** argv);

// A program's main: says what `command` throws, also in JSON where the command line asks for it, and returns the exit code. What was said on
// stdout must have arrived there; otherwise stderr says so, and what would be success is ExitCode::environment. A failure keeps its own code.
int run_program(int argc, char** argv, const std::function<int()>& command);

// To stdout. What it refuses is told at the program's end, or by expect_stdout_takes.
void print(std::string_view text);
void print_json(const Node& document);   // on a line of its own
void flush_stdout();

// Throws EnvironmentError where stdout has refused a word: long work whose only result is said there ends with it.
void expect_stdout_takes();

// While it lives, what this process and its children write to stdout goes to stderr: a document on stdout stands alone.
class StdoutAside {
 public:
  StdoutAside();
  ~StdoutAside();
  StdoutAside(const StdoutAside&) = delete;
  StdoutAside& operator=(const StdoutAside&) = delete;

 private:
  int stdout_;
};

// The line on stderr by which a front knows that its ranks have begun; it is for nobody else.
inline constexpr std::string_view ranks_have_begun = "lastro-rank: all ranks have begun";

// Shows a stage on the terminal and keeps its log (<run>/logs/<stage>.log) and the run's metrics (<run>/metrics.jsonl).
class StageTracker final : public Tracker {
 public:
  StageTracker(std::string stage, TerminalKind terminal, const std::filesystem::path& run);
  ~StageTracker() override;
  StageTracker(const StageTracker&) = delete;
  StageTracker& operator=(const StageTracker&) = delete;

  void event(std::string_view text) override;
  void progress(std::int64_t done, std::int64_t total, std::string_view unit, std::string_view detail) override;
  void metrics(const Node& values) override;

  // The stage's last line: "04_pretrain  done in 3m12s  loss 2.31".
  void finish(std::string_view text);

 private:
  using Clock = std::chrono::steady_clock;
  void log(std::string_view text);
  void clear_live_line();

  std::string stage_;
  TerminalKind terminal_;
  std::FILE* log_;
  std::FILE* metrics_;
  Clock::time_point begun_ = Clock::now();
  Clock::time_point shown_;
  std::int64_t total_ = -1, last_done_ = 0;
  std::int64_t first_done_ = 0;   // where this process began counting in this phase, for the time left
  Clock::time_point first_time_;
  bool live_line_stands_ = false;
};

}   // namespace lastro
