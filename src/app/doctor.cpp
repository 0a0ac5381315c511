#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "app/commands.h"
#include "app/wiring.h"
#include "core/json.h"
#include "domain/errors.h"
#include "domain/version.h"
#include "kernels/path.h"

namespace lastro {
namespace fs = std::filesystem;
namespace {

std::string on_path(const char* program) {
  const char* path = std::getenv("PATH");
  for (std::string_view rest = path ? path : ""; !rest.empty();) {
    const auto end = rest.find(':');
    const fs::path candidate = fs::path(rest.substr(0, end)) / program;
    if (::access(candidate.c_str(), X_OK) == 0) return candidate.string();
    rest = end == std::string_view::npos ? "" : rest.substr(end + 1);
  }
  return "";
}

double free_gib(fs::path folder) {
  while (!folder.empty() && !fs::exists(folder)) folder = folder.parent_path();
  struct statvfs status {};
  if (::statvfs(folder.empty() ? "." : folder.c_str(), &status) != 0) return 0;
  return static_cast<double>(status.f_bavail) * static_cast<double>(status.f_frsize) / (1 << 30);
}

}   // namespace

int doctor_command(const Invocation& invocation) {
  Node facts;
  Node problems = Node::sequence();
  utsname system{};
  ::uname(&system);
  facts.set("version", program_version());
  facts.set("system", std::string(system.sysname) + " " + system.release + " " + system.machine);
  facts.set("cores", threads_of(invocation));
  facts.set("instructions", std::string(kernels::name_of(kernels::cpu_path())));
  facts.set("peak_tflops", peak_tflops(threads_of(invocation)));
  facts.set("memory_gib", static_cast<double>(memory_limit_bytes(1)) / (1 << 30));
  const double disk = free_gib(fs::absolute(invocation.store.empty() ? "runs/store" : invocation.store));
  facts.set("disk_free_gib", disk);
  if (disk < 1)
    problems.push("less than 1 GiB is free where the store lies (checkpoints and artifacts will not fit) name another folder with --store");
  const std::string launcher = on_path("mpirun");
  facts.set("mpirun", launcher.empty() ? Node(nullptr) : Node(launcher));
  if (launcher.empty()) problems.push("mpirun is not on the PATH (--ranks above 1 needs it) install openmpi-bin");
  const double shared = free_gib("/dev/shm");
  const bool has_shared = fs::exists("/dev/shm");
  facts.set("shared_memory_free_gib", has_shared ? Node(shared) : Node(nullptr));
  if (!has_shared)
    problems.push("/dev/shm is missing (ranks on one machine talk through it) mount a tmpfs there");
  else if (shared < 0.0625)
    problems.push("less than 64 MiB is free in /dev/shm (ranks on one machine talk through it) enlarge it");
  facts.set("problems", problems);

  if (invocation.json) {
    std::printf("%s\n", to_json(facts).c_str());
  } else {
    for (const Entry& fact : facts.entries())
      if (fact.key != "problems")
        std::printf("%-22s %s\n", fact.key.c_str(), fact.value.as<std::string>() ? fact.value.text().c_str() : to_json(fact.value).c_str());
    for (const Node& problem : problems.items()) std::printf("problem: %s\n", problem.text().c_str());
    if (problems.items().empty()) std::printf("nothing stands in the way\n");
  }
  return static_cast<int>(problems.items().empty() ? ExitCode::ok : ExitCode::environment);
}

}   // namespace lastro
