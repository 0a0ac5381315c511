#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "app/commands.h"
#include "app/terminal.h"
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

double gib(std::int64_t bytes) { return static_cast<double>(bytes) / (1 << 30); }

// A store that is not there is no fault: the first run makes it, if it may.
void look_at_store(const fs::path& store, Node& facts, Node& problems) {
  const DiskPlace place = disk_place(store);
  facts.set("store", store.string() + (fs::exists(store) ? "" : " (not there yet: the first run makes it)"));
  facts.set("disk_free_gib", gib(place.free_bytes));
  if (!fs::is_directory(place.there))
    problems.push(place.there.string() + " is a file (the store is a folder) name another with --store");
  else if (::access(place.there.c_str(), W_OK | X_OK) != 0)
    problems.push(place.there.string() + " cannot be written to (" + std::strerror(errno) + "; the store lies there) name another with --store");
  if (gib(place.free_bytes) < 1)
    problems.push("less than 1 GiB is free where the store lies (checkpoints and artifacts will not fit) name another folder with --store");
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
  try {
    look_at_store(invocation.store.empty() ? "runs/store" : invocation.store, facts, problems);
  } catch (const std::system_error& error) {   // filesystem_error is one
    problems.push(words_for(error));
  } catch (const EnvironmentError& error) {
    problems.push(error.what());
  }
  const std::string launcher = on_path("mpirun");
  facts.set("mpirun", launcher.empty() ? Node(nullptr) : Node(launcher));
  if (launcher.empty()) problems.push("mpirun is not on the PATH (--ranks above 1 needs it) install openmpi-bin");
  const bool has_shared = fs::exists("/dev/shm");
  const double shared = gib(disk_place("/dev/shm").free_bytes);
  facts.set("shared_memory_free_gib", has_shared ? Node(shared) : Node(nullptr));
  if (!has_shared)
    problems.push("/dev/shm is missing (ranks on one machine talk through it) mount a tmpfs there");
  else if (shared < 0.0625)
    problems.push("less than 64 MiB is free in /dev/shm (ranks on one machine talk through it) enlarge it");
  facts.set("problems", problems);

  if (invocation.json) {
    print_json(facts);
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
