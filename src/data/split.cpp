#include "data/split.h"

#include <algorithm>
#include <array>

#include "core/random.h"

namespace lastro {
namespace {

constexpr std::int64_t draws = std::int64_t{1} << 62;

}   // namespace

HeldOutRule::HeldOutRule(BuildState& state)
    : seed_(state.run.seed), limit_(static_cast<std::int64_t>(state.settings.held_out * static_cast<double>(draws))) {
  std::int64_t smallest = draws, largest = -1;
  state.store.for_each([&](const DocumentRecord& record) {
    if (state.is_evaluation(record.id)) return;
    ++documents_;
    smallest = std::min(smallest, draw_of(record.digest));
    largest = std::max(largest, draw_of(record.digest));
  });
  std::array<std::int64_t, 1> count{documents_};
  state.run.ranks.all_sum(count);
  documents_ = count[0];
  std::array<std::int64_t, 2> extremes{-smallest, largest};
  state.run.ranks.all_max(extremes);
  smallest = -extremes[0];
  largest = extremes[1];
  can_part_ = smallest < largest;
  if (state.settings.held_out > 0) limit_ = can_part_ ? std::clamp(limit_, smallest + 1, largest) : 0;
}

std::int64_t HeldOutRule::draw_of(const Digest& digest) const {
  std::uint64_t tail = 0;
  for (int i = 8; i < 16; ++i) tail = tail << 8 | digest.bytes[i];
  return static_cast<std::int64_t>(random_u64(seed_, Purpose::split, head_of(digest), tail) >> 2);
}

}   // namespace lastro
