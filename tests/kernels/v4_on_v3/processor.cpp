#include "kernels/path.h"

namespace lastro::kernels {

// In place of the library's: v4 is v3 here.
bool processor_has(CpuPath path) { return path == CpuPath::scalar || __builtin_cpu_supports("x86-64-v3"); }

}   // namespace lastro::kernels
