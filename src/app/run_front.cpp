#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <regex>
#include <set>

#include "app/commands.h"
#include "app/conclude.h"
#include "app/launcher_words.h"
#include "app/planning.h"
#include "app/terminal.h"
#include "app/wiring.h"
#include "core/files.h"
#include "domain/errors.h"
#include "infra/posix/lease.h"
#include "infra/posix/process.h"

namespace lastro {
namespace fs = std::filesystem;
namespace {

constexpr auto lease_patience = std::chrono::seconds(10);

std::vector<std::string> rank_command(const Invocation& invocation, const fs::path& run, const fs::path& store) {
  std::vector<std::string> command;
  if (invocation.ranks > 1) command = {"mpirun", "-n", std::to_string(invocation.ranks), "--oversubscribe", "--bind-to", "none"};
  command.push_back((fs::path(own_program()).parent_path() / "lastro-rank").string());
  for (const std::string& word : {std::string("run"), invocation.subject.string(), std::string("--threads"), std::to_string(threads_of(invocation)),
                                  std::string("--run"), run.string(), std::string("--store"), store.string()})
    command.push_back(word);
  for (const std::string& assignment : invocation.sets) command.insert(command.end(), {"--set", assignment});
  return command;
}

std::vector<std::pair<std::string, std::string>> rank_environment() {
  return {{"LASTRO_FRONT", std::to_string(::getpid())},
          {"LASTRO_TERMINAL", terminal_in_force() == TerminalKind::live ? "live" : "plain"},
          {"OMPI_ALLOW_RUN_AS_ROOT", "1"},   // Open MPI refuses root otherwise; a container often has nobody else
          {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
          {"OMPI_MCA_mpi_yield_when_idle", "1"}};
}

// What the ranks and their launcher write on stderr: our own words go to the person, the launcher's to <run>/logs/launcher.log.
class ErrorLines {
 public:
  explicit ErrorLines(const fs::path& run) {
    make_folders(run / "logs");
    log_.open(run / "logs" / "launcher.log", std::ios::app);
  }

  void take(std::string_view line) {
    if (line.starts_with("lastro: ")) return pass_on(line);
    if (line == ranks_have_begun) {
      have_begun_ = true;
      return;
    }
    log_ << line << std::endl;
    words_.take(line);
  }

  bool spoke() const { return !said_.empty(); }
  bool have_begun() const { return have_begun_; }
  const LauncherWords& of_launcher() const { return words_; }

 private:
  // Mostly every rank has the same to say, and one is enough to hear it from.
  void pass_on(std::string_view line) {
    static const std::regex speaker("^lastro: (rank [0-9]+: )?");
    if (!said_.insert(std::regex_replace(std::string(line), speaker, "")).second) return;
    std::fprintf(stderr, "%.*s\n", static_cast<int>(line.size()), line.data());
  }

  std::ofstream log_;
  std::set<std::string> said_;
  LauncherWords words_;
  bool have_begun_ = false;
};

bool is_known(int code) {
  for (const ExitCode known : {ExitCode::usage, ExitCode::environment, ExitCode::contract, ExitCode::hold, ExitCode::budget, ExitCode::preempted,
                               ExitCode::diverged, ExitCode::internal})
    if (code == static_cast<int>(known)) return true;
  return false;
}

// A launcher that cannot start ranks says why. One that says nothing was stopped, and a rank whose launcher is gone ends with the code of a death.
bool could_not_start(const ErrorLines& errors, const ChildEnd& end) {
  const LauncherWords& words = errors.of_launcher();
  return !errors.have_begun() && end.signal == 0 && end.exit_code != static_cast<int>(ExitCode::rank_died) && !words.was_killed() &&
         !words.last().empty();
}

// Ranks that ended without a word of their own: says who, enters it in the record, and what to do.
int report_death(const fs::path& run, const ErrorLines& errors, const ChildEnd& end, int ranks) {
  const LauncherWords& words = errors.of_launcher();
  std::string cause = words.dead();
  if (cause.empty() && end.signal > 0) cause = (ranks == 1 ? "rank 0" : "mpirun") + (" died (signal " + std::to_string(end.signal)) + ")";
  if (cause.empty())
    cause = "the ranks ended with exit code " + std::to_string(end.exit_code) + (words.last().empty() ? "" : " (" + words.last() + ")");
  std::fprintf(stderr, "lastro: %s; nothing committed is lost: run the same command to go on (%s has the launcher's words)\n", cause.c_str(),
               (run / "logs" / "launcher.log").c_str());
  enter_failure(run, cause);
  return static_cast<int>(ExitCode::rank_died);
}

int run_ranks(const Invocation& invocation, const fs::path& run, const fs::path& store) {
  turn_signals_into_stop_requests();
  ErrorLines errors(run);
  const ChildEnd end = run_child(rank_command(invocation, run, store), rank_environment(), [&](std::string_view line) { errors.take(line); });
  if (end.exit_code == 0 && end.signal == 0) return 0;
  if (stop_was_requested() && (end.signal == SIGUSR1 || end.exit_code == 128 + SIGUSR1))   // it had not begun to listen
    throw Preempted("stopped before there was anything to save; run the same command to go on");
  if (end.exit_code == static_cast<int>(ExitCode::preempted)) {
    std::fprintf(stderr, "lastro: stopped; what was committed is kept: run the same command to go on\n");
    return end.exit_code;
  }
  if (is_known(end.exit_code) && errors.spoke()) return end.exit_code;
  if (could_not_start(errors, end))
    throw EnvironmentError("the ranks could not be started (" + (run / "logs" / "launcher.log").string() + " has why) " +
                           (invocation.ranks == 1 ? "if lastro-rank is missing, launch/dev builds it"
                                                  : "`lastro doctor` looks at the machine; one rank, --ranks 1, needs no launcher"));
  return report_death(run, errors, end, invocation.ranks);
}

}   // namespace

int run_front(const Invocation& invocation) {
  std::optional<StdoutAside> aside;
  if (invocation.json) aside.emplace();
  RunPlanner planner(invocation);
  print_remarks(planner);
  const bool finished = !planner.next_stage();
  if (!finished) {
    if (const auto crowding = crowding_of(invocation, usable_cores())) print_error(*crowding);
    print_disk_shortage(planner, planner.plan().plan);
    std::printf("%s\n", planner.headline().c_str());
    flush_stdout();
    const int code = run_ranks(invocation, planner.run(), planner.store().root());
    aside.reset();
    if (code != 0 && invocation.json) print_error_json(static_cast<ExitCode>(code), "the run has not ended; stderr and its record say why");
    if (code != 0) return code;
  }
  aside.reset();
  std::optional<Lease> lease;   // a directory that cannot be written to can still be read, and judged
  if (!fs::exists(planner.run()) || ::access(planner.run().c_str(), W_OK) == 0) lease.emplace(planner.run(), lease_patience);
  RunRecord record = RunRecord::begin(planner.run(), planner.resolved_manifest());
  if (lease) planner.enter_places(record);
  planner.enter_known(record);
  return conclude(planner.run(), planner.store(), invocation);
}

}   // namespace lastro
