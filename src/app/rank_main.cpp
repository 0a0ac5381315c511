#include <string>

#include "app/command_line.h"
#include "app/commands.h"
#include "app/terminal.h"
#include "domain/errors.h"

namespace lastro {
namespace {

int dispatch(const Invocation& invocation, int argc, char** argv) {
  if (invocation.command == "run") return run_as_rank(invocation, argc, argv);
  if (invocation.command == "sample") return sample_command(invocation);
  if (invocation.command == "score") return score_command(invocation);
  if (invocation.command == "audit") return audit_command(invocation);
  if (invocation.command.empty()) return 0;
  throw UsageError("`" + invocation.command + "` is not for ranks (it needs no launcher) run launch/lastro " + invocation.command +
                   " without mpirun");
}

}   // namespace
}   // namespace lastro

// The program that computes: a rank of a run, or one process that samples, scores or audits.
int main(int argc, char** argv) {
  using namespace lastro;
  return run_program(argc, argv, [&] { return dispatch(parse_command_line(argc, argv), argc, argv); });
}
