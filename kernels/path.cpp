#include "kernels/path.h"

#include <atomic>
#include <cstdlib>
#include <string>

#include "cpu/table.h"
#include "domain/errors.h"

namespace lastro::kernels {

PieceCounter piece_counters[3];

namespace {

CpuPath best_path() {
  if (processor_has(CpuPath::v4)) return CpuPath::v4;
  return processor_has(CpuPath::v3) ? CpuPath::v3 : CpuPath::scalar;
}

void require_processor(CpuPath path) {
  if (processor_has(path)) return;
  throw EnvironmentError("LASTRO_CPU=" + std::string(name_of(path)) + " (this processor lacks its instructions). Leave it unset to take " +
                         std::string(name_of(best_path())) + ", which gives the same bits");
}

CpuPath wanted_path() {
  const char* wanted = std::getenv("LASTRO_CPU");
  if (!wanted || !*wanted) return best_path();
  for (const CpuPath path : all_cpu_paths)
    if (name_of(path) == wanted) {
      require_processor(path);
      return path;
    }
  throw UsageError("LASTRO_CPU=" + std::string(wanted) + " (unknown path). Set scalar, v3 or v4, or leave it unset");
}

std::atomic<CpuPath>& path_in_force() {
  static std::atomic<CpuPath> path{wanted_path()};
  return path;
}

}   // namespace

std::string_view name_of(CpuPath path) {
  switch (path) {
    case CpuPath::scalar: return "scalar";
    case CpuPath::v3: return "v3";
    case CpuPath::v4: return "v4";
  }
  __builtin_unreachable();
}

CpuPath cpu_path() { return path_in_force().load(std::memory_order_relaxed); }

std::uint64_t executed_pieces(CpuPath path) { return __atomic_load_n(&piece_counters[static_cast<int>(path)].pieces, __ATOMIC_RELAXED); }

CpuPathInForce::CpuPathInForce(CpuPath path) : before_(cpu_path()) {
  require_processor(path);
  path_in_force().store(path);
}
CpuPathInForce::~CpuPathInForce() { path_in_force().store(before_); }

}   // namespace lastro::kernels
