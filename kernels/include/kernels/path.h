#pragma once

#include <cstdint>
#include <string_view>

// Which instructions the kernels use. Every path gives the same bits.
namespace lastro::kernels {

enum class CpuPath { scalar, v3, v4 };   // plain x86-64; x86-64-v3 (AVX2, FMA); x86-64-v4 (AVX-512)
inline constexpr CpuPath all_cpu_paths[] = {CpuPath::scalar, CpuPath::v3, CpuPath::v4};

std::string_view name_of(CpuPath path);   // "scalar", "v3", "v4"
bool processor_has(CpuPath path);

// The path in force: the best that the processor has, or the one that LASTRO_CPU=scalar|v3|v4 names. Read once per process.
// Errors: UsageError for an unknown name, EnvironmentError when the processor lacks that path.
CpuPath cpu_path();

// How many kernel pieces of a path's own instructions have run in this process: counted where they run, so it proves the path.
std::uint64_t executed_pieces(CpuPath path);

// Another path for a scope: for tests that compare paths in one process. Not while kernels run in other threads.
class CpuPathInForce {
 public:
  explicit CpuPathInForce(CpuPath path);   // EnvironmentError when the processor lacks it
  ~CpuPathInForce();
  CpuPathInForce(const CpuPathInForce&) = delete;
  CpuPathInForce& operator=(const CpuPathInForce&) = delete;

 private:
  CpuPath before_;
};

}   // namespace lastro::kernels
