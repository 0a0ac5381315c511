#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/checkpoint.h"
#include "core/collective.h"
#include "model/region.h"
#include "model/shape.h"

namespace lastro {

// How every unit is cut over the ranks, seen from one of them.
class UnitCuts {
 public:
  UnitCuts(const StateLayout& layout, Rank rank, int world);

  int units() const { return static_cast<int>(mine_.size()); }
  int world() const { return world_; }
  Interval mine(int unit) const { return mine_[unit]; }
  std::int64_t unit_elements(int unit) const { return unit_elements_[unit]; }

  // Each rank's length of a unit: elements, and bytes of fp32.
  std::span<const std::int64_t> elements(int unit) const { return {&elements_[unit * world_], static_cast<std::size_t>(world_)}; }
  std::span<const std::int64_t> bytes(int unit) const { return {&bytes_[unit * world_], static_cast<std::size_t>(world_)}; }

  // Tiles of a unit that `rank` holds.
  std::int64_t tiles(int unit, int rank) const { return tiles_[unit * world_ + rank]; }
  // Where they begin when every rank's tiles (by unit) stand one rank after the other.
  std::int64_t tile_begin(int unit, int rank) const { return tile_begins_[unit * world_ + rank]; }
  std::int64_t tiles_of_rank(int rank) const;
  std::int64_t all_tiles() const;

 private:
  int world_;
  std::vector<Interval> mine_;
  std::vector<std::int64_t> unit_elements_;
  std::vector<std::int64_t> elements_;      // [units, world]
  std::vector<std::int64_t> bytes_;         // [units, world]
  std::vector<std::int64_t> tiles_;         // [units, world]
  std::vector<std::int64_t> tile_begins_;   // [units, world]
};

// Two buffers through which whole units of weights pass: units that follow each other lie in different ones, so that a collective that
// works on its own may fill one while the other is computed with. A tied head and the embedding, needed together, lie in different ones too.
// With one rank there is nothing to gather: a unit is its shard.
class UnitWindow {
 public:
  // `shards` [units] are this rank's weights; they outlive the window.
  UnitWindow(Collective& ranks, const UnitCuts& cuts, const ModelShape& shape, const StateLayout& layout, std::span<const std::span<float>> shards);

  // The whole unit, valid until another unit of the same buffer is taken. Every rank takes the same units in the same order.
  // A unit that is still there is not gathered again.
  std::span<const float> take(int unit);

  // Weights are about to change: what is there is stale.
  void forget() { held_ = {nothing, nothing}; }

  std::int64_t allocated_bytes() const { return memory_.bytes(); }

  // Which buffer a unit passes through, and how long (in elements) the two are.
  static int buffer_of(const ModelShape& shape, int unit);
  static std::array<std::int64_t, 2> buffer_elements(const ModelShape& shape, const StateLayout& layout);

 private:
  static constexpr int nothing = -1;

  Collective& ranks_;
  const UnitCuts& cuts_;
  const ModelShape& shape_;
  std::span<const std::span<float>> shards_;
  Region memory_;
  std::array<std::span<float>, 2> buffers_;
  std::array<int, 2> held_{nothing, nothing};   // unit in each buffer
};

}   // namespace lastro
