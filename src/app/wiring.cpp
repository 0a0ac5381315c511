#include "app/wiring.h"

#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <optional>
#include <thread>

#include "core/files.h"
#include "core/hash.h"
#include "core/refused_file.h"
#include "core/sealed_json.h"
#include "domain/errors.h"
#include "infra/workers/worker_pool.h"
#include "kernels/path.h"
#include "kernels/peak.h"
#include "stages/dataset.h"
#include "stages/evaluate.h"
#include "stages/pretrain.h"
#include "stages/tokenizer.h"
#include "stages/vocabulary.h"

namespace lastro {
namespace fs = std::filesystem;
namespace {

std::string processor_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name")) return line;
  return "unknown processor";
}

fs::path cache_folder() {
  if (const char* given = std::getenv("XDG_CACHE_HOME"); given && *given) return fs::path(given) / "lastro";
  if (const char* home = std::getenv("HOME"); home && *home) return fs::path(home) / ".cache" / "lastro";
  return {};
}

// One thread's rate as the cache has it. A cache that cannot be read or written costs time, nothing else.
class CachedPeak {
 public:
  std::optional<double> read() const {
    try {
      return read_sealed_json(file_).at("flops").number();
    } catch (const Error&) {
      return std::nullopt;
    }
  }
  void write(double flops) const {
    try {
      make_folders(file_.parent_path());
      Node node;
      node.set("measured_on", what_);
      node.set("flops", flops);
      write_sealed_json(file_, node);
    } catch (const Error&) {}
  }

 private:
  std::string what_ = processor_name() + "\n" + std::string(kernels::name_of(kernels::cpu_path()));
  fs::path file_ = cache_folder() / ("peak-" + sha256(what_).hex().substr(0, 16) + ".json");
};

// The best of several moments, for other work may take the machine for a while.
double measured_peak_of_one_thread() {
  OneWorker alone;
  double best = 0;
  for (int moment = 0; moment < 4; ++moment) {
    if (moment > 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    best = std::max(best, kernels::measure_peak_flops(alone, 0.01));
  }
  return best;
}

double peak_of_one_thread() {
  const CachedPeak cached;
  if (const auto flops = cached.read()) return *flops;
  const double flops = measured_peak_of_one_thread();
  cached.write(flops);
  return flops;
}

std::int64_t control_group_limit() {
  for (const char* file : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    std::ifstream input(file);
    std::int64_t bytes = 0;
    if (input >> bytes && bytes > 0) return bytes;
  }
  return std::numeric_limits<std::int64_t>::max();
}

std::int64_t process_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(limit.rlim_cur);
}

}   // namespace

const StageRegistry& stage_kinds() {
  static const StageRegistry registry = [] {
    StageRegistry kinds;
    register_stage<VocabularyStage>(kinds);
    register_stage<TokenizerStage>(kinds);
    register_stage<DatasetStage>(kinds);
    register_stage<PretrainStage>(kinds);
    register_stage<EvaluateStage>(kinds);
    return kinds;
  }();
  return registry;
}

int usable_cores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  return ::sched_getaffinity(0, sizeof cores, &cores) == 0 ? std::max(1, CPU_COUNT(&cores)) : 1;
}

int threads_of(const Invocation& invocation) { return invocation.threads > 0 ? invocation.threads : std::max(1, usable_cores() / invocation.ranks); }

int threads_beside(Collective& ranks) {
  utsname system{};
  cpu_set_t cores;
  CPU_ZERO(&cores);
  ::uname(&system);
  ::sched_getaffinity(0, sizeof cores, &cores);
  const std::string mine = system.nodename + std::string(reinterpret_cast<const char*>(&cores), sizeof cores);
  const std::vector<std::string> all = all_gather_text(ranks, mine);
  return std::max(1, usable_cores() / static_cast<int>(std::count(all.begin(), all.end(), mine)));
}

DiskPlace disk_place(const fs::path& folder) {
  DiskPlace place{fs::absolute(folder).lexically_normal()};
  while (!fs::exists(place.there) && place.there.has_relative_path()) place.there = place.there.parent_path();
  struct stat status {};
  struct statvfs room {};
  if (::stat(place.there.c_str(), &status) != 0) refuse_file(place.there, "cannot be examined", "stat", errno);
  if (::statvfs(place.there.c_str(), &room) != 0) refuse_file(place.there, "cannot be examined", "statvfs", errno);
  place.file_system = status.st_dev;
  place.free_bytes = static_cast<std::int64_t>(room.f_bavail) * static_cast<std::int64_t>(room.f_frsize);
  return place;
}

std::unique_ptr<Workers> make_workers(int threads) { return std::make_unique<WorkerPool>(threads); }

double peak_tflops(int threads) { return peak_of_one_thread() * threads / 1e12; }

void remember_peak_tflops(double tflops, int threads) {
  const CachedPeak cached;
  const double flops = tflops * 1e12 / threads;
  if (const auto before = cached.read(); !before || *before < flops) cached.write(flops);
}

std::int64_t memory_limit_bytes(int ranks) {
  const std::int64_t machine = static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
  return std::min({std::min(machine, control_group_limit()) / ranks, process_limit()});
}

}   // namespace lastro
