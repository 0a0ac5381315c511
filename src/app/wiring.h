#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "app/command_line.h"
#include "core/stage_registry.h"
#include "domain/workers.h"

namespace lastro {

// All stage kinds of this program. A new stage is one line in wiring.cpp.
const StageRegistry& stage_kinds();

// That this process may use.
int usable_cores();

// Threads of a rank: what was asked for, else the cores this process may use, shared out among the ranks.
int threads_of(const Invocation& invocation);

// Threads of a rank that a launcher has placed: the cores that it may use, shared out among the ranks of its machine that may use the same ones.
int threads_beside(Collective& ranks);
std::unique_ptr<Workers> make_workers(int threads);

// The floating-point rate that `threads` of this processor reach at most, in 10^12 FLOP/s: measured once a machine and path, then remembered in the
// user's cache folder.
double peak_tflops(int threads);

// What so many threads together were seen to reach; what is remembered only grows, for it may have been measured while the machine was busy.
void remember_peak_tflops(double tflops, int threads);

// Memory that one of `ranks` ranks on this machine may use, in bytes: the smallest of the machine's, the control group's and the process's limit.
std::int64_t memory_limit_bytes(int ranks);

// The file system on which a folder lies, or will lie once it is made.
struct DiskPlace {
  std::filesystem::path there;   // the folder, or the nearest one above it that is there already
  std::uint64_t file_system = 0;
  std::int64_t free_bytes = 0;
};
DiskPlace disk_place(const std::filesystem::path& folder);

}   // namespace lastro
