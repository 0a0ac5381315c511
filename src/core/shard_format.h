#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/checkpoint.h"

namespace lastro {

// Which part of which state a shard file holds.
struct ShardHeader {
  const StateLayout& layout;
  Step step;
  std::string stage_key;   // 64 hexadecimal digits
  Rank rank;
  int world = 1;
};

// Where things lie in a shard file, in bytes from its beginning. Data are little-endian fp32.
struct ShardPlaces {
  static constexpr std::int64_t nowhere = -1;   // of an interval without elements
  std::int64_t file_bytes = 0;
  std::int64_t tile_digests = nowhere;           // the table of tile digests, 32 bytes a tile, in the order of plane, unit, tile
  std::vector<std::vector<std::int64_t>> data;   // [plane][unit]: the elements shard_of(unit)
  bool operator==(const ShardPlaces&) const = default;
};

// The container that shards are written in. It lays a file out; the bytes are put in their places afterwards by plain writes, so that
// every error, order and crash of writing is in our hands.
class ShardFormat {
 public:
  virtual ~ShardFormat() = default;

  // Makes `path` a file with all structure and room for the data. Equal headers give equal bytes. Throws EnvironmentError.
  // May be called by several threads.
  virtual ShardPlaces lay_out(const std::filesystem::path& path, const ShardHeader& header) const = 0;
};

}   // namespace lastro
