#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/checkpoint.h"
#include "core/shard_format.h"
#include "domain/errors.h"

// index.json, the commit of a checkpoint:
//
//   {"format": "lastro-checkpoint", "version": 1,
//    "stage_key": digest, "step": n, "world": ranks, "tile_elements": n,
//    "planes": [name...], "units": [[name, elements]...],
//    "scalars": {...},                              everything mutable besides the planes; "measured" in it stays out of the content's digest
//    "content": digest,                             of the logical state, see content_digest
//    "roots": [[digest a unit]... a plane],         see unit_root
//    "shards": [{"file": name, "bytes": n, "sha256": see shard_digest, "structure": digest of all bytes outside tile data,
//                "tile_digests": offset, "data": [[offset or -1 a unit]... a plane]}... a rank],
//    "self_sha256": digest of the text without this entry}
//
// Indented, in this order, and no other way: so that each byte of the text counts.
namespace lastro {

struct ShardRecord {
  std::string file;
  Digest sha256;
  Digest structure;
  ShardPlaces places;
  bool operator==(const ShardRecord&) const = default;
};

Node to_node(const ShardRecord& shard);   // as it stands under "shards"

using UnitRoots = std::vector<std::vector<Digest>>;   // [plane][unit]

struct CheckpointIndex {
  static constexpr std::int64_t version = 1;

  Digest stage_key;
  Step step;
  int world = 1;
  StateLayout layout;
  Node scalars = Node::mapping();
  Digest content;
  UnitRoots roots;
  std::vector<ShardRecord> shards;
};

std::string to_text(const CheckpointIndex& index);

// Written by another release, which can read it.
struct OtherCheckpointFormat : ContractError {
  using ContractError::ContractError;
};

// Throws OtherCheckpointFormat where `text` says so, and ContractError unless it is what to_text writes, in every byte, and makes sense; `file` names
// it in messages.
CheckpointIndex parse_index(std::string_view text, const std::string& file);

std::string shard_file_name(int rank, int world);   // "rank-00-of-04.h5"
std::string step_folder_name(Step step);            // "step-000120"

// One dataset's part in a shard: elements [interval) of a unit in a plane, `bytes` from `offset` on.
struct ShardExtent {
  std::size_t plane = 0;
  std::size_t unit = 0;
  Interval interval;
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
  std::int64_t first_digest = 0;   // its first row in the shard's table of tile digests
  std::int64_t tiles = 0;
};
// In the order of plane and unit, empty ones left out.
std::vector<ShardExtent> extents_of(const StateLayout& layout, int rank, int world, const ShardPlaces& places);
std::int64_t tiles_in_shard(const StateLayout& layout, int rank, int world);

// SHA-256 over "lastro shard 1", the file's length; for each tile in order plane, unit, tile: these three numbers, its offset, its length and
// its digest; and the digest of all bytes outside tile data. Numbers as 8 bytes. Any changed byte of the file changes it.
Digest shard_digest(const StateLayout& layout, int rank, int world, const ShardPlaces& places, const std::vector<Digest>& tiles,
                    const Digest& structure);

// SHA-256 over "lastro unit 1", lengths and texts of plane and unit, elements, tile_elements, and the digests of all tiles.
Digest unit_root(const std::string& plane, const StateLayout::Unit& unit, std::int64_t tile_elements, const std::vector<Digest>& tiles);

// From every shard's tile digests, ranks ascending.
UnitRoots roots_of(const StateLayout& layout, const std::vector<std::vector<Digest>>& tiles_of_shards);

// The digest of the logical state, whatever ranks wrote it: SHA-256 over "lastro checkpoint 1", step, all unit roots, and the scalars'
// canonical JSON without the entry "measured".
Digest content_digest(Step step, const Node& scalars, const UnitRoots& roots);

}   // namespace lastro
