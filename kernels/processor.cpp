#include "kernels/path.h"

namespace lastro::kernels {

// What the processor can and the operating system saves: both are asked here, apart from all else, so that a test can answer instead.
bool processor_has(CpuPath path) {
  switch (path) {
    case CpuPath::scalar: return true;
    case CpuPath::v3: return __builtin_cpu_supports("x86-64-v3");
    case CpuPath::v4: return __builtin_cpu_supports("x86-64-v4");
  }
  __builtin_unreachable();
}

}   // namespace lastro::kernels
