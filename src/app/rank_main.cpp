#include <exception>
#include <filesystem>
#include <string>

#include "app/command_line.h"
#include "app/commands.h"
#include "app/terminal.h"
#include "domain/errors.h"

// The program that computes: a rank of a run, or one process that samples, scores or audits.
int main(int argc, char** argv) {
  using namespace lastro;
  try {
    const Invocation invocation = parse_command_line(argc, argv);
    if (invocation.command == "run") return run_as_rank(invocation, argc, argv);
    if (invocation.command == "sample") return sample_command(invocation);
    if (invocation.command == "score") return score_command(invocation);
    if (invocation.command == "audit") return audit_command(invocation);
    if (invocation.command.empty()) return 0;
    throw UsageError("`" + invocation.command + "` is not for ranks (it needs no launcher) run launch/lastro " + invocation.command +
                     " without mpirun");
  } catch (const Error& error) {
    print_error(error.what());
    return static_cast<int>(error.code());
  } catch (const std::bad_alloc&) {
    print_error("no memory is left (the machine or a limit refuses more) lower the plan's memory or use more ranks");
    return static_cast<int>(ExitCode::budget);
  } catch (const std::filesystem::filesystem_error& error) {
    print_error(error.what());
    return static_cast<int>(ExitCode::environment);
  } catch (const std::exception& error) {
    print_error("internal: " + std::string(error.what()) + " (a contract inside the program broke; please report it)");
    return static_cast<int>(ExitCode::internal);
  }
}
