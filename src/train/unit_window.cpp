#include "train/unit_window.h"

#include <algorithm>
#include <numeric>

#include "model/tensors.h"

namespace lastro {

UnitCuts::UnitCuts(const StateLayout& layout, Rank rank, int world) : world_(world) {
  for (const StateLayout::Unit& unit : layout.units) {
    mine_.push_back(shard_of(unit.elements, layout.tile_elements, rank, world));
    unit_elements_.push_back(unit.elements);
    for (int other = 0; other < world; ++other) {
      const std::int64_t elements = shard_of(unit.elements, layout.tile_elements, Rank{other}, world).size();
      elements_.push_back(elements);
      bytes_.push_back(elements * static_cast<std::int64_t>(sizeof(float)));
      tiles_.push_back(tiles_of(elements, layout.tile_elements));
    }
  }
  tile_begins_.resize(tiles_.size());
  std::int64_t begin = 0;
  for (int other = 0; other < world; ++other)
    for (int unit = 0; unit < units(); ++unit) {
      tile_begins_[unit * world + other] = begin;
      begin += tiles(unit, other);
    }
}

std::int64_t UnitCuts::tiles_of_rank(int rank) const {
  std::int64_t sum = 0;
  for (int unit = 0; unit < units(); ++unit) sum += tiles(unit, rank);
  return sum;
}

std::int64_t UnitCuts::all_tiles() const { return std::accumulate(tiles_.begin(), tiles_.end(), std::int64_t{0}); }

int UnitWindow::buffer_of(const ModelShape& shape, int unit) {
  if (unit == head_unit(shape) && shape.tied) return 1;   // the embedding's is 0
  return unit % 2;
}

std::array<std::int64_t, 2> UnitWindow::buffer_elements(const ModelShape& shape, const StateLayout& layout) {
  std::array<std::int64_t, 2> longest{0, 0};
  for (int unit = 0; unit < unit_count(shape); ++unit) {
    std::int64_t& elements = longest[buffer_of(shape, unit)];
    elements = std::max(elements, layout.units[unit].elements);
  }
  return longest;
}

namespace {

std::int64_t buffer_bytes(const ModelShape& shape, const StateLayout& layout) {
  const auto elements = UnitWindow::buffer_elements(shape, layout);
  return Region::bytes_of<float>(elements[0]) + Region::bytes_of<float>(elements[1]);
}

}   // namespace

UnitWindow::UnitWindow(Collective& ranks, const UnitCuts& cuts, const ModelShape& shape, const StateLayout& layout,
                       std::span<const std::span<float>> shards)
    : ranks_(ranks), cuts_(cuts), shape_(shape), shards_(shards), memory_(ranks.size() == 1 ? 0 : buffer_bytes(shape, layout), "gather buffers") {
  if (ranks.size() == 1) return;
  const auto elements = buffer_elements(shape, layout);
  for (int buffer = 0; buffer < 2; ++buffer) buffers_[buffer] = memory_.take<float>(elements[buffer]);
}

std::span<const float> UnitWindow::take(int unit) {
  if (ranks_.size() == 1) return shards_[unit];
  const int buffer = buffer_of(shape_, unit);
  const std::span<float> whole = buffers_[buffer].first(static_cast<std::size_t>(cuts_.unit_elements(unit)));
  if (held_[buffer] != unit) ranks_.all_gather(std::as_bytes(shards_[unit]), cuts_.bytes(unit), std::as_writable_bytes(whole));
  held_[buffer] = unit;
  return whole;
}

}   // namespace lastro
