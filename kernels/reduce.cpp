#include "kernels/reduce.h"

#include "kernels/denormals.h"
#include "vector_cpu.h"

namespace lastro::kernels {

float row_sum(std::span<const float> x) {
  const FlushingDenormals flushing;
  return entries_in_force<VectorEntries>().sum(x.data(), static_cast<std::int64_t>(x.size()));
}

}   // namespace lastro::kernels
