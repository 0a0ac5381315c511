#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "app/command_line.h"
#include "app/commands.h"
#include "app/terminal.h"
#include "domain/errors.h"
#include "infra/posix/process.h"

namespace lastro {
namespace {

// The program that computes lies beside this one; it takes our place with the same words.
int become_rank(char** argv) {
  const std::string program = (std::filesystem::path(own_program()).parent_path() / "lastro-rank").string();
  ::execv(program.c_str(), argv);
  throw EnvironmentError(program + " cannot be started (" + std::strerror(errno) + ") build it: launch/dev does", "libc", "execv", errno);
}

int dispatch(const Invocation& invocation, char** argv) {
  if (invocation.command == "run") return run_front(invocation);
  if (invocation.command == "plan") return plan_command(invocation);
  if (invocation.command == "schema") return schema_command();
  if (invocation.command == "reference") return reference_command();
  if (invocation.command == "gate") return gate_command(invocation);
  if (invocation.command == "rollback") return rollback_command(invocation);
  if (invocation.command == "status") return status_command(invocation);
  if (invocation.command == "verify") return verify_command(invocation);
  if (invocation.command == "diff") return diff_command(invocation);
  if (invocation.command == "gc") return gc_command(invocation);
  if (invocation.command == "doctor") return doctor_command(invocation);
  if (invocation.command == "tokenize") return tokenize_command(invocation);
  if (invocation.command == "export") return export_command(invocation);
  if (invocation.command == "sample" || invocation.command == "score" || invocation.command == "audit") return become_rank(argv);
  return 0;
}

}   // namespace
}   // namespace lastro

// The front: starts in milliseconds, without MPI and LibTorch.
int main(int argc, char** argv) {
  using namespace lastro;
  return run_program(argc, argv, [&] { return dispatch(parse_command_line(argc, argv), argv); });
}
