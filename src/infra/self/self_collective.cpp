#include "infra/self/self_collective.h"

#include <cstring>

namespace lastro {

void SelfCollective::all_gather(std::span<const std::byte> mine, std::span<const std::int64_t>, std::span<std::byte> whole) {
  if (!mine.empty() && mine.data() != whole.data()) std::memcpy(whole.data(), mine.data(), mine.size());
}

void SelfCollective::fold_scatter(std::span<const float> mine, std::span<const std::int64_t>, int contributors, Fold fold,
                                  std::span<float> accumulator) {
  if (contributors == 0 || mine.empty()) return;
  if (fold == Fold::start) {
    if (mine.data() != accumulator.data()) std::memcpy(accumulator.data(), mine.data(), mine.size_bytes());
    return;
  }
  add(accumulator, mine);
}

}   // namespace lastro
