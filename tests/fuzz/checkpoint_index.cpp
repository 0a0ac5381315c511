// A checkpoint's index.json: reading ends, and either refuses the bytes or gives an index that is written back as the same bytes and whose shards'
// extents can be laid out. The bytes are read as they are and with a seal that is true, which lets changes past the first check.
#include "runtime/checkpoint_index.h"
#include "core/hash.h"
#include "fuzz_target.h"
#include "resealed.h"

namespace lastro {
namespace {

void must_hold_for_index(std::string_view text) {
  reads_or_refuses([&] {
    const CheckpointIndex index = parse_index(text, "index.json");
    require(to_text(index) == text);
    for (std::size_t rank = 0; rank < index.shards.size(); ++rank) {
      std::int64_t tiles = 0;
      for (const ShardExtent& extent : extents_of(index.layout, static_cast<int>(rank), index.world, index.shards[rank].places))
        tiles += extent.tiles;
      require(tiles == tiles_in_shard(index.layout, static_cast<int>(rank), index.world));
    }
  });
}

}   // namespace

void must_hold_for(std::string_view bytes) {
  must_hold_for_index(bytes);
  reads_or_refuses([&] { must_hold_for_index(resealed(bytes)); });
}

// Of two ranks, three units and one plane, the last unit has one tile, which is rank 1's.
std::vector<std::string> good_inputs() {
  CheckpointIndex index;
  index.stage_key = sha256("key");
  index.step = Step{120};
  index.world = 2;
  index.layout = {.units = {{"embedding", 100}, {"block-00", 40}, {"head", 8}}, .planes = {"weights"}, .tile_elements = 16};
  index.scalars.set("step", 120);
  index.scalars.set("loss", 2.5);
  index.roots = {{sha256("a"), sha256("b"), sha256("c")}};
  for (int rank = 0; rank < 2; ++rank) {
    ShardRecord shard{.file = shard_file_name(rank, 2), .sha256 = sha256("shard"), .structure = sha256("structure")};
    shard.places.file_bytes = 4096;
    shard.places.tile_digests = 2048;
    shard.places.data = {{0, 512, rank == 1 ? 1024 : -1}};
    index.shards.push_back(shard);
  }
  index.content = content_digest(index.step, index.scalars, index.roots);
  parse_index(to_text(index), "index.json");
  return {to_text(index)};
}

}   // namespace lastro
