#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace lastro {

struct ChildEnd {
  int exit_code = 0;
  int signal = 0;   // that ended it; then there is no exit code
};

// Runs a program in a process group of its own and waits for it. Its stdout is ours; each line of its stderr goes to `on_error_line`.
// SIGINT, SIGTERM and SIGUSR1 that we receive meanwhile, or received as stop requests before, are passed to it as SIGUSR1 (save and stop); at the
// third it gets SIGKILL. A child that has not begun to listen dies of SIGUSR1: there was nothing to save.
// The child is killed when we die. A program that cannot be started says so on its stderr and ends with 127; throws EnvironmentError when there
// can be no process at all.
ChildEnd run_child(const std::vector<std::string>& command, const std::vector<std::pair<std::string, std::string>>& environment,
                   const std::function<void(std::string_view line)>& on_error_line);

// Ends this process (exit code 8) within a second after its parent, or process `also` if positive, has ended. Call once, early.
void die_with_parent(int also);

// From now on SIGINT, SIGTERM and SIGUSR1 only make stop_was_requested() true.
void turn_signals_into_stop_requests();
bool stop_was_requested();

// Where stdin, stdout or stderr is closed, its number is taken by what refuses every read or write: no file opened later gets it, and with it words
// that were meant for a person. A write beyond a file's largest size fails from now on, and kills no more.
void hold_standard_streams();

// The program that is running, as a path.
std::string own_program();

}   // namespace lastro
