#include "runtime/checkpoint_load.h"

#include <algorithm>

#include "domain/errors.h"
#include "runtime/shard_file.h"

namespace lastro {
namespace {

Interval meet(const Interval& a, const Interval& b) {
  const std::int64_t begin = std::max(a.begin, b.begin);
  return {begin, std::max(begin, std::min(a.end, b.end))};
}

// Both intervals begin at tile borders and end there or at the unit's end, so what they share is whole tiles.
void load_extent(const ShardReader& shard, const ShardExtent& extent, const Interval& mine, std::int64_t tile_elements, std::span<float> into) {
  const Interval shared = meet(extent.interval, mine);
  if (shared.size() == 0) return;
  const std::int64_t first = (shared.begin - extent.interval.begin) / tile_elements;
  shard.read(extent, first, first + tiles_of(shared.size(), tile_elements), into.subspan(shared.begin - mine.begin, shared.size()));
}

}   // namespace

void load_part(const CommittedCheckpoint& checkpoint, const StateView& state, Rank rank, int world) {
  const CheckpointIndex& index = checkpoint.index;
  const StateLayout& layout = state.layout;
  if (index.layout != layout)
    throw ContractError(checkpoint.folder.string() + " holds a state of another form (other units, planes or tiles than this stage's)",
                        checkpoint.folder.string(), "", "");
  std::vector<Interval> mine;
  for (const StateLayout::Unit& unit : layout.units) mine.push_back(shard_of(unit.elements, layout.tile_elements, rank, world));

  for (int written = 0; written < index.world; ++written) {
    const auto extents = extents_of(layout, written, index.world, index.shards[written].places);
    const bool needed =
        std::any_of(extents.begin(), extents.end(), [&](const ShardExtent& one) { return meet(one.interval, mine[one.unit]).size() > 0; });
    if (!needed && written % world != rank.value) continue;   // someone checks the structure of a shard that nobody reads
    const ShardReader shard(checkpoint.folder, index, written);
    for (const ShardExtent& extent : shard.extents())
      load_extent(shard, extent, mine[extent.unit], layout.tile_elements, state.shards[extent.plane][extent.unit]);
  }
}

}   // namespace lastro
