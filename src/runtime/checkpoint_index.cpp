#include "runtime/checkpoint_index.h"

#include <algorithm>
#include <set>

#include "core/hash.h"
#include "core/json.h"
#include "core/sealed_json.h"
#include "domain/errors.h"

namespace lastro {
namespace {

constexpr std::string_view format_name = "lastro-checkpoint";
constexpr std::int64_t digest_bytes = 32;
constexpr std::int64_t largest = std::int64_t{1} << 60;
constexpr std::int64_t most_elements = std::int64_t{1} << 42;
constexpr int most_ranks = 1 << 20;

std::string padded(std::int64_t number, std::size_t digits) {
  const std::string text = std::to_string(number);
  return text.size() < digits ? std::string(digits - text.size(), '0') + text : text;
}

void update_text(Sha256& hash, std::string_view text) { hash.update_u64(text.size()).update(text); }
void update_digest(Sha256& hash, const Digest& digest) { hash.update(std::as_bytes(std::span(digest.bytes))); }

Node to_node(const CheckpointIndex& index) {
  Node node = Node::mapping();
  node.set("format", format_name);
  node.set("version", CheckpointIndex::version);
  node.set("stage_key", index.stage_key.to_string());
  node.set("step", index.step.value);
  node.set("world", index.world);
  node.set("tile_elements", index.layout.tile_elements);
  Node& planes = node.set("planes", Node::sequence());
  for (const std::string& plane : index.layout.planes) planes.push(plane);
  Node& units = node.set("units", Node::sequence());
  for (const StateLayout::Unit& unit : index.layout.units) units.push(Node(Node::Sequence{Node(unit.name), Node(unit.elements)}));
  node.set("scalars", index.scalars);
  node.set("content", index.content.to_string());
  Node& roots = node.set("roots", Node::sequence());
  for (const auto& plane : index.roots) {
    Node row = Node::sequence();
    for (const Digest& root : plane) row.push(root.to_string());
    roots.push(std::move(row));
  }
  Node& shards = node.set("shards", Node::sequence());
  for (const ShardRecord& shard : index.shards) shards.push(to_node(shard));
  return node;
}

// Reads the tree of an index; every complaint names the file and the entry.
class Reading {
 public:
  Reading(const std::string& file) : file_(file) {}

  CheckpointIndex index(const Node& node) const {
    CheckpointIndex index;
    index.stage_key = digest(entry(node, "stage_key"), "stage_key");
    index.step = {number(entry(node, "step"), "step", 0, largest)};
    index.world = static_cast<int>(number(entry(node, "world"), "world", 1, most_ranks));
    index.layout = layout(node);
    index.scalars = entry(node, "scalars");
    index.content = digest(entry(node, "content"), "content");
    index.roots = table<Digest>(entry(node, "roots"), "roots", index.layout, [&](const Node& value) { return digest(value, "roots"); });
    const auto& shards = rows(entry(node, "shards"), "shards", index.world);
    for (int rank = 0; rank < index.world; ++rank) index.shards.push_back(shard(shards[rank], index, rank));
    return index;
  }

  const Node& entry(const Node& node, std::string_view key) const {
    const Node* found = node.find(key);
    if (!found) fail("has no entry \"" + std::string(key) + "\"");
    return *found;
  }
  const std::string& text(const Node& node, std::string_view what) const {
    const auto* text = node.as<std::string>();
    if (!text) fail("has no text in \"" + std::string(what) + "\"");
    return *text;
  }
  std::int64_t number(const Node& node, std::string_view what, std::int64_t least, std::int64_t most) const {
    const auto* value = node.as<std::int64_t>();
    if (!value || *value < least || *value > most) fail("has no sensible number in \"" + std::string(what) + "\"");
    return *value;
  }
  [[noreturn]] void fail(const std::string& problem) const {
    throw ContractError(file_ + " " + problem + " (it is damaged, or not this program's)", file_, "", "");
  }

 private:
  Digest digest(const Node& node, std::string_view what) const {
    const auto digest = Digest::parse(text(node, what));
    if (!digest) fail("has no digest in \"" + std::string(what) + "\"");
    return *digest;
  }
  const Node::Sequence& rows(const Node& node, std::string_view what, std::size_t count) const {
    if (!node.is_sequence() || node.items().size() != count) fail("has not " + std::to_string(count) + " entries in \"" + std::string(what) + "\"");
    return node.items();
  }
  template <class T, class Read>
  std::vector<std::vector<T>> table(const Node& node, std::string_view what, const StateLayout& layout, Read read) const {
    std::vector<std::vector<T>> values;
    for (const Node& row : rows(node, what, layout.planes.size())) {
      auto& plane = values.emplace_back();
      for (const Node& value : rows(row, what, layout.units.size())) plane.push_back(read(value));
    }
    return values;
  }

  StateLayout layout(const Node& node) const {
    StateLayout layout;
    layout.tile_elements = number(entry(node, "tile_elements"), "tile_elements", 1, most_elements);
    layout.planes.clear();
    std::set<std::string> names;
    const Node& planes = entry(node, "planes");
    for (const Node& plane : planes.items()) layout.planes.push_back(text(plane, "planes"));
    for (const std::string& plane : layout.planes)
      if (!names.insert(plane).second) fail("names the plane \"" + plane + "\" twice");
    names.clear();
    std::int64_t total = 0;
    for (const Node& unit : entry(node, "units").items()) {
      const auto& pair = rows(unit, "units", 2);
      layout.units.push_back({text(pair[0], "units"), number(pair[1], "units", 0, most_elements)});
      if (!names.insert(layout.units.back().name).second) fail("names the unit \"" + layout.units.back().name + "\" twice");
      total += layout.units.back().elements;
      if (total > most_elements) fail("has too many elements");
    }
    if (layout.planes.empty() || layout.units.empty()) fail("has no planes or no units");
    return layout;
  }

  ShardRecord shard(const Node& node, const CheckpointIndex& index, int rank) const {
    ShardRecord shard;
    shard.file = text(entry(node, "file"), "file");
    if (shard.file != shard_file_name(rank, index.world))
      fail("names the shard \"" + shard.file + "\" where " + shard_file_name(rank, index.world) + " belongs");
    shard.sha256 = digest(entry(node, "sha256"), "sha256");
    shard.structure = digest(entry(node, "structure"), "structure");
    ShardPlaces& places = shard.places;
    places.file_bytes = number(entry(node, "bytes"), "bytes", 0, largest);
    places.tile_digests = number(entry(node, "tile_digests"), "tile_digests", ShardPlaces::nowhere, largest);
    places.data = table<std::int64_t>(entry(node, "data"), "data", index.layout,
                                      [&](const Node& value) { return number(value, "data", ShardPlaces::nowhere, largest); });
    check_places(index, rank, shard);
    return shard;
  }

  // Data, in ascending order, neither leave the file nor touch each other or the table of digests.
  void check_places(const CheckpointIndex& index, int rank, const ShardRecord& shard) const {
    std::vector<Interval> used;
    for (const ShardExtent& extent : extents_of(index.layout, rank, index.world, shard.places))
      used.push_back({extent.offset, extent.offset + extent.bytes});
    const std::int64_t tiles = tiles_in_shard(index.layout, rank, index.world);
    if (tiles > 0) used.push_back({shard.places.tile_digests, shard.places.tile_digests + tiles * digest_bytes});
    std::sort(used.begin(), used.end(), [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
    std::int64_t free_from = 0;
    for (const Interval& one : used) {
      if (one.begin < free_from) fail("places data of " + shard.file + " over each other");
      free_from = one.end;
    }
    if (free_from > shard.places.file_bytes) fail("places data of " + shard.file + " behind its end");
  }

  const std::string& file_;
};

}   // namespace

Node to_node(const ShardRecord& shard) {
  Node node = Node::mapping();
  node.set("file", shard.file);
  node.set("bytes", shard.places.file_bytes);
  node.set("sha256", shard.sha256.to_string());
  node.set("structure", shard.structure.to_string());
  node.set("tile_digests", shard.places.tile_digests);
  Node& data = node.set("data", Node::sequence());
  for (const auto& offsets : shard.places.data) {
    Node row = Node::sequence();
    for (const std::int64_t offset : offsets) row.push(offset);
    data.push(std::move(row));
  }
  return node;
}

std::string shard_file_name(int rank, int world) { return "rank-" + padded(rank, 2) + "-of-" + padded(world, 2) + ".h5"; }
std::string step_folder_name(Step step) { return "step-" + padded(step.value, 6); }

std::string to_text(const CheckpointIndex& index) { return sealed_text(to_node(index)); }

CheckpointIndex parse_index(std::string_view text, const std::string& file) {
  const Node node = parse_json(text, file);
  const Reading reading(file);
  if (!node.is_mapping() || reading.text(reading.entry(node, "format"), "format") != format_name) reading.fail("is no index of a checkpoint");
  const std::int64_t version = reading.number(reading.entry(node, "version"), "version", 0, largest);
  if (version != CheckpointIndex::version)
    throw OtherCheckpointFormat(file + " is of checkpoint format " + std::to_string(version) + " (this program reads format " +
                                    std::to_string(CheckpointIndex::version) + ") use the release that wrote it, or train this stage again",
                                file, std::to_string(CheckpointIndex::version), std::to_string(version));
  CheckpointIndex index = reading.index(node);
  if (to_text(index) != text) refuse_seal(file, node, to_node(index));
  return index;
}

std::vector<ShardExtent> extents_of(const StateLayout& layout, int rank, int world, const ShardPlaces& places) {
  std::vector<ShardExtent> extents;
  std::int64_t digests = 0;
  for (std::size_t plane = 0; plane < layout.planes.size(); ++plane) {
    for (std::size_t unit = 0; unit < layout.units.size(); ++unit) {
      const Interval interval = shard_of(layout.units[unit].elements, layout.tile_elements, Rank{rank}, world);
      if (interval.size() == 0) continue;
      const std::int64_t tiles = tiles_of(interval.size(), layout.tile_elements);
      extents.push_back(
          {plane, unit, interval, places.data[plane][unit], interval.size() * static_cast<std::int64_t>(sizeof(float)), digests, tiles});
      digests += tiles;
    }
  }
  return extents;
}

std::int64_t tiles_in_shard(const StateLayout& layout, int rank, int world) {
  std::int64_t tiles = 0;
  for (const StateLayout::Unit& unit : layout.units)
    tiles += tiles_of(shard_of(unit.elements, layout.tile_elements, Rank{rank}, world).size(), layout.tile_elements);
  return tiles * static_cast<std::int64_t>(layout.planes.size());
}

Digest shard_digest(const StateLayout& layout, int rank, int world, const ShardPlaces& places, const std::vector<Digest>& tiles,
                    const Digest& structure) {
  Sha256 hash;
  update_text(hash, "lastro shard 1");
  hash.update_u64(places.file_bytes);
  const std::int64_t tile_bytes = layout.tile_elements * static_cast<std::int64_t>(sizeof(float));
  for (const ShardExtent& extent : extents_of(layout, rank, world, places)) {
    const std::int64_t first_tile = extent.interval.begin / layout.tile_elements;
    for (std::int64_t tile = 0; tile < extent.tiles; ++tile) {
      hash.update_u64(extent.plane).update_u64(extent.unit).update_u64(first_tile + tile);
      hash.update_u64(extent.offset + tile * tile_bytes).update_u64(std::min(tile_bytes, extent.bytes - tile * tile_bytes));
      update_digest(hash, tiles[extent.first_digest + tile]);
    }
  }
  update_digest(hash, structure);
  return hash.finish();
}

Digest unit_root(const std::string& plane, const StateLayout::Unit& unit, std::int64_t tile_elements, const std::vector<Digest>& tiles) {
  Sha256 hash;
  update_text(hash, "lastro unit 1");
  update_text(hash, plane);
  update_text(hash, unit.name);
  hash.update_u64(unit.elements).update_u64(tile_elements);
  for (const Digest& tile : tiles) update_digest(hash, tile);
  return hash.finish();
}

UnitRoots roots_of(const StateLayout& layout, const std::vector<std::vector<Digest>>& tiles_of_shards) {
  const int world = static_cast<int>(tiles_of_shards.size());
  UnitRoots roots(layout.planes.size());
  std::vector<std::int64_t> next(world, 0);   // shards hold their digests in the order of plane, unit, tile: a reading position each
  for (std::size_t plane = 0; plane < layout.planes.size(); ++plane) {
    for (const StateLayout::Unit& unit : layout.units) {
      std::vector<Digest> tiles;
      for (int rank = 0; rank < world; ++rank) {
        const std::int64_t count = tiles_of(shard_of(unit.elements, layout.tile_elements, Rank{rank}, world).size(), layout.tile_elements);
        const auto begin = tiles_of_shards[rank].begin() + next[rank];
        tiles.insert(tiles.end(), begin, begin + count);
        next[rank] += count;
      }
      roots[plane].push_back(unit_root(layout.planes[plane], unit, layout.tile_elements, tiles));
    }
  }
  return roots;
}

Digest content_digest(Step step, const Node& scalars, const UnitRoots& roots) {
  Sha256 hash;
  update_text(hash, "lastro checkpoint 1");
  hash.update_u64(step.value);
  for (const auto& plane : roots)
    for (const Digest& root : plane) update_digest(hash, root);
  Node bearing = Node::mapping();
  for (const Entry& entry : scalars.entries())
    if (entry.key != "measured") bearing.set(entry.key, entry.value);
  update_text(hash, to_canonical_json(bearing));
  return hash.finish();
}

}   // namespace lastro
