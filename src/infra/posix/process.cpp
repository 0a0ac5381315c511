#include "infra/posix/process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <thread>

#include "domain/errors.h"

extern char** environ;

namespace lastro {
namespace {

volatile std::sig_atomic_t stop_requests = 0;
volatile std::sig_atomic_t child_process = 0;

void on_stop_signal(int) { stop_requests = stop_requests + 1; }

void on_signal_for_child(int) {
  const int interrupted = errno;
  stop_requests = stop_requests + 1;
  if (child_process > 0) ::kill(child_process, stop_requests < 3 ? SIGUSR1 : SIGKILL);
  constexpr std::string_view words =
      "\nlastro: asked to stop: the step at work ends first (training saves a checkpoint); a third signal stops at once\n";
  if (stop_requests == 1) [[maybe_unused]]
    const auto written = ::write(STDERR_FILENO, words.data(), words.size());
  errno = interrupted;
}

void handle(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) ::sigaction(signal, &action, nullptr);
}

// Passes whole lines on as they come.
void relay_lines(int fd, const std::function<void(std::string_view)>& on_line) {
  std::string pending;
  char block[4096];
  for (;;) {
    const ssize_t got = ::read(fd, block, sizeof block);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    pending.append(block, got);
    for (std::size_t end; (end = pending.find('\n')) != std::string::npos; pending.erase(0, end + 1))
      on_line(std::string_view(pending).substr(0, end));
  }
  if (!pending.empty()) on_line(pending);
}

std::vector<std::string> environment_with(const std::vector<std::pair<std::string, std::string>>& additions) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text = *entry;
    bool replaced = false;
    for (const auto& [name, value] : additions) replaced |= text.starts_with(name) && text.substr(name.size()).starts_with('=');
    if (!replaced) result.emplace_back(text);
  }
  for (const auto& [name, value] : additions) result.push_back(name + "=" + value);
  return result;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

}   // namespace

ChildEnd run_child(const std::vector<std::string>& command, const std::vector<std::pair<std::string, std::string>>& environment,
                   const std::function<void(std::string_view line)>& on_error_line) {
  int errors[2];
  if (::pipe2(errors, O_CLOEXEC) != 0)
    throw EnvironmentError(std::string("no pipe could be made (") + std::strerror(errno) + ")", "libc", "pipe", errno);
  std::vector<std::string> arguments = command;
  std::vector<std::string> variables = environment_with(environment);
  const std::vector<char*> argv = pointers(arguments);
  const std::vector<char*> envp = pointers(variables);
  const pid_t front = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) throw EnvironmentError(std::string("no process could be started (") + std::strerror(errno) + ")", "libc", "fork", errno);
  if (child == 0) {
    ::setpgid(0, 0);   // Ctrl-C reaches us alone; we decide what the ranks are told
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != front) ::_exit(127);
    ::dup2(errors[1], STDERR_FILENO);
    ::execvpe(argv[0], argv.data(), envp.data());
    ::dprintf(STDERR_FILENO, "%s cannot be started (%s)\n", argv[0], std::strerror(errno));
    ::_exit(127);
  }
  child_process = child;
  const auto on_pipe = ::signal(SIGPIPE, SIG_IGN);   // whoever read our words may be gone; the ranks are not
  handle(on_signal_for_child);
  if (stop_requests > 0) ::kill(child, SIGUSR1);   // asked before there was anyone to pass it to
  ::close(errors[1]);
  relay_lines(errors[0], on_error_line);
  ::close(errors[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  child_process = 0;
  ::signal(SIGPIPE, on_pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 0, WIFSIGNALED(status) ? WTERMSIG(status) : 0};
}

void die_with_parent(int also) {
  const pid_t parent = ::getppid();
  std::thread([parent, also] {
    sigset_t all;
    sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
    for (;;) {
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
      if (::getppid() != parent || (also > 0 && ::kill(also, 0) != 0 && errno == ESRCH)) ::_exit(static_cast<int>(ExitCode::rank_died));
    }
  }).detach();
}

void hold_standard_streams() {
  ::signal(SIGXFSZ, SIG_IGN);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})   // open takes the lowest number that is free
    if (::fcntl(stream, F_GETFD) < 0) ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

void turn_signals_into_stop_requests() { handle(on_stop_signal); }
bool stop_was_requested() { return stop_requests > 0; }

std::string own_program() { return std::filesystem::read_symlink("/proc/self/exe").string(); }

}   // namespace lastro
