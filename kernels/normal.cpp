#include "kernels/normal.h"

#include "cpu/split.h"
#include "domain/philox.h"
#include "element/normal.h"

namespace lastro::kernels {

void fill_normal(Workers& workers, std::uint64_t key, std::uint64_t stream, std::uint64_t first, double mean, double deviation,
                 std::span<float> values) {
  split(workers, static_cast<std::int64_t>(values.size()), 1024, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const auto bits = philox(key, stream, first + static_cast<std::uint64_t>(i));
      const std::uint64_t number = (std::uint64_t{bits[1]} << 32 | bits[0]) >> 11;
      const double share = (static_cast<double>(number) + 0.5) * 0x1p-53;   // strictly between 0 and 1
      values[static_cast<std::size_t>(i)] = static_cast<float>(mean + deviation * normal_at(share));
    }
  });
}

}   // namespace lastro::kernels
