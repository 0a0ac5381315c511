// What must hold for any bytes taken as a checkpoint's index.json: reading ends, and either refuses them with a ContractError or gives an index that
// is written back as the same bytes and whose shards' extents can be laid out.
// With clang: -fsanitize=fuzzer,address. With g++ the tests of checkpoints run it over a seeded corpus.
#include "domain/errors.h"
#include "runtime/checkpoint_index.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lastro;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const CheckpointIndex index = parse_index(text, "index.json");
    if (to_text(index) != text) __builtin_trap();
    for (std::size_t rank = 0; rank < index.shards.size(); ++rank) {
      std::int64_t tiles = 0;
      for (const ShardExtent& extent : extents_of(index.layout, static_cast<int>(rank), index.world, index.shards[rank].places))
        tiles += extent.tiles;
      if (tiles != tiles_in_shard(index.layout, static_cast<int>(rank), index.world)) __builtin_trap();
    }
  } catch (const ContractError&) {}
  return 0;
}
