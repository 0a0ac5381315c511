#include "app/terminal.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <new>
#include <system_error>

#include "core/cost.h"
#include "core/files.h"
#include "core/json.h"
#include "core/refused_file.h"
#include "infra/posix/process.h"

namespace lastro {
namespace {

std::FILE* open_for_appending(const std::filesystem::path& path) {
  std::FILE* file = std::fopen(path.c_str(), "ae");
  if (!file) refuse_file(path, "cannot be opened", "fopen", errno);
  return file;
}

std::string now_text() {
  const std::time_t now = std::time(nullptr);
  char text[32];
  std::tm parts;
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", ::gmtime_r(&now, &parts));
  return text;
}

// Within a catch: says what was caught, also in JSON where the command line asks for it, and returns the exit code.
int report_caught(int argc, char** argv) {
  const auto say = [&](ExitCode code, const std::string& text) {
    print_error(text);
    if (asks_for_json(argc, argv)) print_error_json(code, text);
    return static_cast<int>(code);
  };
  try {
    throw;
  } catch (const Error& error) {
    return say(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    return say(ExitCode::budget, "no memory is left (the machine or a limit refuses more) lower the plan's memory or use more ranks");
  } catch (const std::system_error& error) {   // filesystem_error is one
    return say(ExitCode::environment, words_for(error));
  } catch (const std::exception& error) {
    return say(ExitCode::internal, "internal: " + std::string(error.what()) + " (a contract inside the program broke; please report it)");
  }
}

int stdout_refusal = 0;   // errno of the first of our writes that stdout refused; its own error flag keeps no reason

void note_refusal_unless(bool is_written) {
  if (!is_written && stdout_refusal == 0) stdout_refusal = errno;
}

constexpr auto live_interval = std::chrono::milliseconds(200);
constexpr auto plain_interval = std::chrono::seconds(10);

}   // namespace

TerminalKind terminal_in_force() {
  if (const char* stated = std::getenv("LASTRO_TERMINAL")) return std::string_view(stated) == "live" ? TerminalKind::live : TerminalKind::plain;
  return ::isatty(STDOUT_FILENO) ? TerminalKind::live : TerminalKind::plain;
}

void print_error(std::string_view text) {
  std::string lines = "lastro: ";
  for (const char c : text) lines += c == '\n' ? std::string("\nlastro: ") : std::string(1, c);
  std::fprintf(stderr, "%s\n", lines.c_str());
}

void print_error_json(ExitCode code, std::string_view text) {
  Node error, line;
  error.set("exit_code", static_cast<std::int64_t>(code));
  error.set("message", std::string(text));
  line.set("error", std::move(error));
  print_json(line);
}

std::string words_for(const std::system_error& error) {
  const std::string hint = hint_for(error.code().value());
  return error.what() + (hint.empty() ? " (the system refused) a limit or a full machine does that; `lastro doctor` looks" : hint);
}

bool asks_for_json(int argc, char** argv) {
  return std::any_of(argv, argv + argc, [](std::string_view word) { return word == "--json"; });
}

int run_program(int argc, char** argv, const std::function<int()>& command) {
  hold_standard_streams();
  int code = 0;
  try {
    code = command();
    if (std::getenv("LASTRO_FRONT")) return code;   // a rank's words are progress; what the run came to is its front's to say
    flush_stdout();
    const int copy = ::dup(STDOUT_FILENO);   // a network file system may refuse only at a close
    note_refusal_unless(copy < 0 || ::close(copy) == 0);
    expect_stdout_takes();
    return code;
  } catch (...) {
    const int caught = report_caught(argc, argv);
    return code != 0 ? code : caught;
  }
}

void print(std::string_view text) { note_refusal_unless(std::fwrite(text.data(), 1, text.size(), stdout) == text.size()); }

void print_json(const Node& document) { print(to_json(document) + "\n"); }

void flush_stdout() { note_refusal_unless(std::fflush(stdout) == 0); }

void expect_stdout_takes() {
  if (!std::ferror(stdout) && stdout_refusal == 0) return;
  if (stdout_refusal != 0) refuse_file("stdout", "cannot be written", "write", stdout_refusal);
  throw EnvironmentError("stdout has not all that was said (a write before the last was refused) run the same command again");
}

StdoutAside::StdoutAside() {
  std::fflush(stdout);
  stdout_ = ::dup(1);
  ::dup2(2, 1);
}

StdoutAside::~StdoutAside() {
  std::fflush(stdout);
  stdout_refusal = 0;
  std::clearerr(stdout);   // what stderr did not take is no loss of stdout's
  ::dup2(stdout_, 1);
  ::close(stdout_);
}

StageTracker::StageTracker(std::string stage, TerminalKind terminal, const std::filesystem::path& run)
    : stage_(std::move(stage)), terminal_(terminal) {
  make_folders(run / "logs");
  log_ = open_for_appending(run / "logs" / (stage_ + ".log"));
  metrics_ = open_for_appending(run / "metrics.jsonl");
  log("begins");
}

StageTracker::~StageTracker() {
  clear_live_line();
  std::fclose(log_);
  std::fclose(metrics_);
}

void StageTracker::log(std::string_view text) {
  std::fprintf(log_, "%s %.*s\n", now_text().c_str(), static_cast<int>(text.size()), text.data());
  std::fflush(log_);
}

void StageTracker::clear_live_line() {
  if (live_line_stands_) std::fputs("\r\033[K", stdout);
  live_line_stands_ = false;
}

void StageTracker::event(std::string_view text) {
  log(text);
  if (terminal_ == TerminalKind::silent) return;
  clear_live_line();
  std::printf("%-14s %.*s\n", stage_.c_str(), static_cast<int>(text.size()), text.data());
  flush_stdout();
}

void StageTracker::progress(std::int64_t done, std::int64_t total, std::string_view unit, std::string_view detail) {
  const auto now = Clock::now();
  if (total != total_ || done < last_done_) {   // another phase, whose speed says nothing of this one's, or steps that were taken back
    first_done_ = done;
    first_time_ = now;
  }
  total_ = total;
  last_done_ = done;
  const bool last = total > 0 && done >= total;
  if (!last && shown_ != Clock::time_point{} &&
      now - shown_ < (terminal_ == TerminalKind::live ? Clock::duration(live_interval) : Clock::duration(plain_interval)))
    return;
  shown_ = now;
  std::string line(unit);
  line += ' ' + std::to_string(done);
  if (total > 0) line += "/" + std::to_string(total);
  if (!detail.empty()) line += "  " + std::string(detail);
  if (total > 0 && done > first_done_ && !last) {
    const double elapsed = std::chrono::duration<double>(now - first_time_).count();
    line += "  ETA " + duration_text(elapsed * static_cast<double>(total - done) / static_cast<double>(done - first_done_));
  }
  if (terminal_ != TerminalKind::live) log(line);
  if (terminal_ == TerminalKind::live) {
    std::printf("\r\033[K%-14s %s", stage_.c_str(), line.c_str());
    live_line_stands_ = true;
  } else if (terminal_ == TerminalKind::plain) {
    std::printf("%-14s %s\n", stage_.c_str(), line.c_str());
  }
  flush_stdout();
}

void StageTracker::metrics(const Node& values) {
  Node line;
  line.set("stage", stage_);
  line.set("time", now_text());
  for (const Entry& entry : values.entries()) line.set(entry.key, entry.value);
  std::fprintf(metrics_, "%s\n", to_json(line).c_str());
  std::fflush(metrics_);
}

void StageTracker::finish(std::string_view text) {
  const double elapsed = std::chrono::duration<double>(Clock::now() - begun_).count();
  event("done in " + duration_text(elapsed) + (text.empty() ? "" : "  ") + std::string(text));
}

}   // namespace lastro
