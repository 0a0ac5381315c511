#include "core/checkpoint_reader.h"

#include <algorithm>

#include "domain/errors.h"
#include "runtime/checkpoint_folder.h"
#include "runtime/shard_file.h"

namespace lastro {

namespace {

// Empty, with the damage, where the index cannot be read.
std::optional<CommittedCheckpoint> committed_or_damage(const std::filesystem::path& folder, std::vector<Damage>& damages) {
  try {
    return read_committed(folder);
  } catch (const Error& error) {
    damages.push_back(damage_of((folder / index_file_name).string(), error));
  }
  return std::nullopt;
}

}   // namespace

struct CheckpointReader::State {
  CommittedCheckpoint checkpoint;
  std::vector<std::unique_ptr<ShardReader>> shards;   // opened when first needed
};

CheckpointReader::CheckpointReader(const std::filesystem::path& folder) : state_(std::make_unique<State>()) {
  state_->checkpoint = read_committed(folder);
  state_->shards.resize(state_->checkpoint.index.world);
}
CheckpointReader::~CheckpointReader() = default;
CheckpointReader::CheckpointReader(CheckpointReader&&) noexcept = default;

Step CheckpointReader::step() const { return state_->checkpoint.index.step; }
const StateLayout& CheckpointReader::layout() const { return state_->checkpoint.index.layout; }
const Node& CheckpointReader::scalars() const { return state_->checkpoint.index.scalars; }
const Digest& CheckpointReader::stage_key() const { return state_->checkpoint.index.stage_key; }
const Digest& CheckpointReader::content() const { return state_->checkpoint.index.content; }

void CheckpointReader::read(std::string_view plane, std::string_view unit, Interval interval, std::span<float> into) const {
  const CheckpointIndex& index = state_->checkpoint.index;
  const StateLayout& layout = index.layout;
  const auto plane_at = std::find(layout.planes.begin(), layout.planes.end(), plane);
  const auto unit_at = std::find_if(layout.units.begin(), layout.units.end(), [&](const StateLayout::Unit& one) { return one.name == unit; });
  if (plane_at == layout.planes.end() || unit_at == layout.units.end())
    throw ContractError(state_->checkpoint.folder.string() + " has no " + std::string(plane) + "/" + std::string(unit));
  if (interval.begin < 0 || interval.end > unit_at->elements || interval.size() != static_cast<std::int64_t>(into.size()))
    throw InternalError("elements " + std::to_string(interval.begin) + " to " + std::to_string(interval.end) + " of " + std::string(unit) +
                        " were asked for (it has " + std::to_string(unit_at->elements) + ")");

  std::vector<float> tile(std::min(layout.tile_elements, unit_at->elements));
  for (int rank = 0; rank < index.world; ++rank) {
    const Interval part = shard_of(unit_at->elements, layout.tile_elements, Rank{rank}, index.world);
    if (part.end <= interval.begin || part.begin >= interval.end) continue;
    auto& shard = state_->shards[rank];
    if (!shard) shard = std::make_unique<ShardReader>(state_->checkpoint.folder, index, rank);
    const auto extent = std::find_if(shard->extents().begin(), shard->extents().end(), [&](const ShardExtent& one) {
      return layout.planes[one.plane] == plane && layout.units[one.unit].name == unit;
    });
    for (std::int64_t t = 0; t < extent->tiles; ++t) {
      const std::int64_t begin = part.begin + t * layout.tile_elements;
      const std::int64_t end = std::min(begin + layout.tile_elements, part.end);
      const std::int64_t from = std::max(begin, interval.begin), to = std::min(end, interval.end);
      if (from >= to) continue;
      if (from == begin && to == end) {
        shard->read(*extent, t, t + 1, into.subspan(from - interval.begin, to - from));
      } else {
        const auto values = std::span(tile).first(end - begin);
        shard->read(*extent, t, t + 1, values);
        std::copy_n(values.begin() + (from - begin), to - from, into.begin() + (from - interval.begin));
      }
    }
  }
}

void CheckpointReader::read(std::string_view plane, std::string_view unit, std::span<float> into) const {
  read(plane, unit, {0, static_cast<std::int64_t>(into.size())}, into);
}

std::vector<Damage> verify_checkpoint(const std::filesystem::path& folder) {
  std::vector<Damage> damages;
  const auto checkpoint = committed_or_damage(folder, damages);
  if (!checkpoint) return damages;
  const CheckpointIndex& index = checkpoint->index;
  if (!checkpoint->verified && std::filesystem::exists(folder / marker_file_name))
    damages.push_back({(folder / marker_file_name).string(), "the mark of having been read back", "the hash of index.json", "something else"});
  std::vector<std::vector<Digest>> tiles(index.world);
  bool complete = true;
  for (int rank = 0; rank < index.world; ++rank) {
    const auto of_shard = verify_shard(folder, index, rank, ReadFrom::anywhere, &tiles[rank]);
    complete = complete && static_cast<std::int64_t>(tiles[rank].size()) == tiles_in_shard(index.layout, rank, index.world);
    damages.insert(damages.end(), of_shard.begin(), of_shard.end());
  }
  if (!complete) return damages;
  const UnitRoots roots = roots_of(index.layout, tiles);
  if (const Digest found = content_digest(index.step, index.scalars, roots); found != index.content || roots != index.roots)
    damages.push_back({(folder / index_file_name).string(), "the digest of the logical state", index.content.to_string(), found.to_string()});
  return damages;
}

std::vector<Damage> misfits_of_checkpoint(const std::filesystem::path& folder) {
  std::vector<Damage> damages;
  if (const auto checkpoint = committed_or_damage(folder, damages))
    for (const ShardRecord& shard : checkpoint->index.shards) {
      std::error_code error;
      const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(folder / shard.file, error));
      if (error || bytes != shard.places.file_bytes)
        damages.push_back({(folder / shard.file).string(), "", std::to_string(shard.places.file_bytes) + " bytes",
                           error ? "no file" : std::to_string(bytes) + " bytes"});
    }
  return damages;
}

}   // namespace lastro
