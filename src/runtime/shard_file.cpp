#include "runtime/shard_file.h"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "core/hash.h"

namespace lastro {
namespace {

constexpr std::int64_t block_bytes = std::int64_t{4} << 20;   // of one write or read
constexpr std::int64_t float_bytes = sizeof(float);

// SHA-256 of all bytes outside tile data. `read(offset, bytes)` gives them.
template <class Read>
Digest structure_digest(std::vector<ShardExtent> extents, std::int64_t file_bytes, Read read) {
  std::sort(extents.begin(), extents.end(), [](const ShardExtent& a, const ShardExtent& b) { return a.offset < b.offset; });
  extents.push_back({.offset = file_bytes});
  Sha256 hash;
  std::vector<std::byte> block(64 << 10);
  std::int64_t at = 0;
  for (const ShardExtent& next : extents) {
    while (at < next.offset) {
      const auto bytes = std::span(block).first(std::min<std::int64_t>(block.size(), next.offset - at));
      read(at, bytes);
      hash.update(bytes);
      at += static_cast<std::int64_t>(bytes.size());
    }
    at = next.offset + next.bytes;
  }
  return hash.finish();
}

std::span<const std::byte> bytes_of(const std::vector<Digest>& digests) { return std::as_bytes(std::span(digests)); }
static_assert(sizeof(Digest) == 32, "a table of digests is written as it lies in memory");

// A full disk is better found before the format's library meets it: that is bad at failing half-way.
void check_room(const std::filesystem::path& folder, const ShardHeader& header, std::int64_t data_bytes) {
  const std::int64_t datasets = static_cast<std::int64_t>(header.layout.planes.size() * header.layout.units.size());
  const std::int64_t wanted = data_bytes + datasets * (std::int64_t{6} << 10) + (std::int64_t{64} << 10);
  std::error_code error;
  const auto space = std::filesystem::space(folder, error);
  if (!error && space.available < static_cast<std::uintmax_t>(wanted))
    throw EnvironmentError(
        folder.string() + " has no room for a shard of " + std::to_string(wanted) + " bytes (" + std::to_string(space.available) + " are free)",
        "libc", "statvfs", ENOSPC);
}

// Hashes and writes the tiles of one extent; returns nothing new but fills their digests.
void write_extent(DraftFile& draft, const ShardExtent& extent, std::int64_t tile_elements, std::span<const float> data, std::span<Digest> digests) {
  const std::int64_t tiles_a_block = std::max<std::int64_t>(1, block_bytes / (tile_elements * float_bytes));
  for (std::int64_t first = 0; first < extent.tiles; first += tiles_a_block) {
    const std::int64_t last = std::min(first + tiles_a_block, extent.tiles);
    for (std::int64_t tile = first; tile < last; ++tile) {
      const std::int64_t begin = tile * tile_elements;
      digests[tile] = sha256(std::as_bytes(data.subspan(begin, std::min(tile_elements, extent.interval.size() - begin))));
    }
    const std::int64_t begin = first * tile_elements, end = std::min(last * tile_elements, extent.interval.size());
    draft.write_at(extent.offset + begin * float_bytes, std::as_bytes(data.subspan(begin, end - begin)));
  }
}

std::string what_is_wrong(const Damage& damage) {
  return damage.file + " is damaged" + (damage.detail.empty() ? "" : " in " + damage.detail) + " (wanted " + damage.wanted + ", found " +
         damage.found + ")";
}

}   // namespace

DamagedShard::DamagedShard(Damage facts) : ContractError(what_is_wrong(facts), facts.file, facts.wanted, facts.found), damage(std::move(facts)) {}

WrittenShard write_shard(const ShardFormat& format, const std::filesystem::path& folder, const ShardHeader& header, std::span<const float> data) {
  const StateLayout& layout = header.layout;
  WrittenShard written;
  ShardRecord& record = written.record;
  record.file = shard_file_name(header.rank.value, header.world);
  written.tiles.resize(tiles_in_shard(layout, header.rank.value, header.world));

  check_room(folder, header, static_cast<std::int64_t>(data.size_bytes()));
  const std::filesystem::path draft_path = folder / (record.file + ".tmp");
  record.places = format.lay_out(draft_path, header);
  DraftFile draft("shard", draft_path, DraftFile::Begin::existing);
  draft.reserve(record.places.file_bytes);

  const auto extents = extents_of(layout, header.rank.value, header.world, record.places);
  for (const ShardExtent& extent : extents) {
    write_extent(draft, extent, layout.tile_elements, data.first(extent.interval.size()),
                 std::span(written.tiles).subspan(extent.first_digest, extent.tiles));
    data = data.subspan(extent.interval.size());
  }
  if (!written.tiles.empty()) draft.write_at(record.places.tile_digests, bytes_of(written.tiles));

  record.structure =
      structure_digest(extents, record.places.file_bytes, [&](std::int64_t offset, std::span<std::byte> bytes) { draft.read_at(offset, bytes); });
  record.sha256 = shard_digest(layout, header.rank.value, header.world, record.places, written.tiles, record.structure);
  draft.keep(folder / record.file);
  return written;
}

std::vector<Digest> hash_tiles(const ShardHeader& header, std::span<const float> data) {
  std::vector<Digest> tiles;
  const StateLayout& layout = header.layout;
  for (std::size_t plane = 0; plane < layout.planes.size(); ++plane) {
    for (const StateLayout::Unit& unit : layout.units) {
      const std::int64_t elements = shard_of(unit.elements, layout.tile_elements, header.rank, header.world).size();
      for (std::int64_t begin = 0; begin < elements; begin += layout.tile_elements)
        tiles.push_back(sha256(std::as_bytes(data.subspan(begin, std::min(layout.tile_elements, elements - begin)))));
      data = data.subspan(elements);
    }
  }
  return tiles;
}

ShardReader::ShardReader(const std::filesystem::path& folder, const CheckpointIndex& index, int rank, ReadFrom from)
    : index_(index),
      path_(folder / index.shards[rank].file),
      file_(path_),
      extents_(extents_of(index.layout, rank, index.world, index.shards[rank].places)) {
  const ShardRecord& record = index.shards[rank];
  if (file_.bytes() != record.places.file_bytes)
    throw DamagedShard({path_.string(), "its length", std::to_string(record.places.file_bytes) + " bytes", std::to_string(file_.bytes()) + " bytes"});
  if (from == ReadFrom::disk) file_.drop_cache();

  const Digest structure =
      structure_digest(extents_, file_.bytes(), [&](std::int64_t offset, std::span<std::byte> bytes) { file_.read_at(offset, bytes); });
  if (structure != record.structure)
    throw DamagedShard({path_.string(), "its HDF5 structure or its table /tile_digests", record.structure.to_string(), structure.to_string()});
  tiles_.resize(tiles_in_shard(index.layout, rank, index.world));
  if (!tiles_.empty()) file_.read_at(record.places.tile_digests, std::as_writable_bytes(std::span(tiles_)));
  const Digest whole = shard_digest(index.layout, rank, index.world, record.places, tiles_, structure);
  if (whole != record.sha256) throw DamagedShard({path_.string(), "its table /tile_digests", record.sha256.to_string(), whole.to_string()});
}

std::string ShardReader::dataset_of(const ShardExtent& extent) const {
  return "dataset /" + index_.layout.planes[extent.plane] + "/" + index_.layout.units[extent.unit].name;
}

void ShardReader::read(const ShardExtent& extent, std::int64_t first, std::int64_t last, std::span<float> into) const {
  const std::int64_t tile_elements = index_.layout.tile_elements;
  const std::int64_t tiles_a_block = std::max<std::int64_t>(1, block_bytes / (tile_elements * float_bytes));
  for (std::int64_t tile = first, in_block = 0; tile < last; ++tile) {
    const std::int64_t begin = (tile - first) * tile_elements;
    const auto values = into.subspan(begin, std::min<std::int64_t>(tile_elements, into.size() - begin));
    if (in_block-- == 0) {
      in_block = tiles_a_block - 1;
      const auto block = into.subspan(begin, std::min<std::int64_t>(tiles_a_block * tile_elements, into.size() - begin));
      file_.read_at(extent.offset + tile * tile_elements * float_bytes, std::as_writable_bytes(block));
    }
    const Digest found = sha256(std::as_bytes(values));
    const Digest& wanted = tiles_[extent.first_digest + tile];
    if (found == wanted) continue;
    const std::int64_t element = extent.interval.begin + tile * tile_elements;
    throw DamagedShard({path_.string(),
                        dataset_of(extent) + ", tile " + std::to_string(element / tile_elements) + " (elements " + std::to_string(element) + " to " +
                            std::to_string(element + static_cast<std::int64_t>(values.size())) + ")",
                        wanted.to_string(), found.to_string()});
  }
}

std::vector<Damage> verify_shard(const std::filesystem::path& folder, const CheckpointIndex& index, int rank, ReadFrom from,
                                 std::vector<Digest>* tiles) {
  std::vector<Damage> damages;
  try {
    const ShardReader shard(folder, index, rank, from);
    if (tiles) *tiles = shard.tiles();
    const std::int64_t tile_elements = index.layout.tile_elements;
    const std::int64_t tiles_a_block = std::max<std::int64_t>(1, block_bytes / (tile_elements * float_bytes));
    std::vector<float> block;
    for (const ShardExtent& extent : shard.extents()) {
      const auto elements_before = [&](std::int64_t tile) { return std::min(tile * tile_elements, extent.interval.size()); };
      const auto read = [&](std::int64_t first, std::int64_t last) {
        block.resize(elements_before(last) - elements_before(first));
        shard.read(extent, first, last, block);
      };
      for (std::int64_t first = 0; first < extent.tiles; first += tiles_a_block) {
        const std::int64_t last = std::min(first + tiles_a_block, extent.tiles);
        try {
          read(first, last);
        } catch (const DamagedShard&) {   // which tiles of the block
          for (std::int64_t tile = first; tile < last; ++tile) {
            try {
              read(tile, tile + 1);
            } catch (const DamagedShard& error) {
              damages.push_back(error.damage);
            }
          }
        }
      }
    }
  } catch (const DamagedShard& error) {
    damages.push_back(error.damage);
  } catch (const Error& error) {
    damages.push_back(damage_of((folder / index.shards[rank].file).string(), error));
  }
  return damages;
}

}   // namespace lastro
