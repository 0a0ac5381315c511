#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <string>
#include <vector>

#include "core/checkpoint.h"
#include "core/collective.h"
#include "core/random.h"
#include "core/tracker.h"

namespace lastro {

// Units with odd ends, one of a single element: with more than two ranks some hold nothing of it.
inline StateLayout small_layout() {
  StateLayout layout;
  layout.units = {{"embedding", 1000}, {"block-00", 333}, {"block-01", 192}, {"head", 1}};
  layout.tile_elements = 64;
  return layout;
}

// One rank's part of a state that is named by its step.
class RankState {
 public:
  RankState(const StateLayout& layout, Rank rank, int world) : layout_(layout), rank_(rank), world_(world), view_{layout_, {}} {
    for (std::size_t plane = 0; plane < layout_.planes.size(); ++plane)
      for (const auto& unit : layout_.units) memory_.emplace_back(part_of(unit).size());
    auto next = memory_.begin();
    for (std::size_t plane = 0; plane < layout_.planes.size(); ++plane) {
      view_.shards.emplace_back();
      for (std::size_t unit = 0; unit < layout_.units.size(); ++unit) view_.shards.back().emplace_back(*next++);
    }
  }
  RankState(const StateLayout& layout, const Collective& ranks) : RankState(layout, ranks.rank(), ranks.size()) {}
  RankState(const RankState&) = delete;

  static float value(std::size_t plane, std::size_t unit, std::int64_t element, std::int64_t step) {
    const std::uint64_t bits = random_u64(static_cast<std::uint64_t>(step), Purpose::test, plane << 32 | unit, static_cast<std::uint64_t>(element));
    return static_cast<float>(static_cast<std::int32_t>(bits)) * 0x1p-31f;
  }

  void set(std::int64_t step) {
    for_each([&](float& element, float wanted) { element = wanted; }, step);
  }
  bool holds(std::int64_t step) {
    bool equal = true;
    for_each([&](float& element, float wanted) { equal = equal && element == wanted; }, step);
    return equal;
  }
  const StateView& view() const { return view_; }

 private:
  Interval part_of(const StateLayout::Unit& unit) const { return shard_of(unit.elements, layout_.tile_elements, rank_, world_); }

  template <class Use>
  void for_each(Use use, std::int64_t step) {
    for (std::size_t plane = 0; plane < layout_.planes.size(); ++plane)
      for (std::size_t unit = 0; unit < layout_.units.size(); ++unit) {
        const Interval part = part_of(layout_.units[unit]);
        for (std::int64_t i = 0; i < part.size(); ++i) use(view_.shards[plane][unit][i], value(plane, unit, part.begin + i, step));
      }
  }

  StateLayout layout_;
  Rank rank_;
  int world_;
  std::vector<std::vector<float>> memory_;
  StateView view_;
};

// Keeps what it is told.
class KeepingTracker final : public Tracker {
 public:
  void event(std::string_view text) override {
    const std::lock_guard lock(mutex_);
    text_ += std::string(text) + "\n";
  }
  void progress(std::int64_t, std::int64_t, std::string_view, std::string_view) override {}
  void metrics(const Node&) override {}
  std::string events() const {
    const std::lock_guard lock(mutex_);
    return text_;
  }

 private:
  mutable std::mutex mutex_;
  std::string text_;
};

inline std::string bytes_of_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void put_file(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

inline void flip_bit(const std::filesystem::path& path, std::size_t byte, int bit = 0) {
  std::string bytes = bytes_of_file(path);
  bytes[byte] = static_cast<char>(bytes[byte] ^ (1 << bit));
  put_file(path, bytes);
}

}   // namespace lastro
