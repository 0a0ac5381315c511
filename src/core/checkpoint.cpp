#include "core/checkpoint.h"

#include <algorithm>

namespace lastro {

std::int64_t tiles_of(std::int64_t elements, std::int64_t tile_elements) { return (elements + tile_elements - 1) / tile_elements; }

Interval shard_of(std::int64_t unit_elements, std::int64_t tile_elements, Rank rank, int world) {
  const std::int64_t tiles = tiles_of(unit_elements, tile_elements);
  const auto element = [&](std::int64_t tile) { return std::min(tile * tile_elements, unit_elements); };
  return {element(tiles * rank.value / world), element(tiles * (rank.value + 1) / world)};
}

}   // namespace lastro
