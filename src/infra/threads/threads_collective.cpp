#include "infra/threads/threads_collective.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <map>
#include <mutex>
#include <thread>

namespace lastro {
namespace {

// Thrown in ranks that wait for one that will never come; never leaves run_as_ranks.
struct Released {};

// One lock for all groups of a run, so that a failure anywhere wakes whoever waits.
struct World {
  std::mutex mutex;
  std::condition_variable changed;
  std::exception_ptr failure;

  void fail(std::exception_ptr error) {
    const std::lock_guard lock(mutex);
    if (!failure) failure = std::move(error);
    changed.notify_all();
  }
};

// What the ranks of one collective share: a place for each to show its memory to the others.
struct Group {
  Group(World& world, int size) : world(world), shown(size) {}

  struct Shown {
    const void* memory = nullptr;
    int color = 0;
  };
  World& world;
  std::vector<Shown> shown;
  std::map<int, std::shared_ptr<Group>> split_off;   // by color, while a split is under way

  // Returns once every rank has come; throws when one has failed instead.
  void meet() {
    std::unique_lock lock(world.mutex);
    if (world.failure) throw Released();
    const std::int64_t round = round_;
    if (++arrived_ == static_cast<int>(shown.size())) {
      arrived_ = 0;
      reading_ = static_cast<int>(shown.size());
      ++round_;
      world.changed.notify_all();
      return;
    }
    world.changed.wait(lock, [&] { return round_ != round || world.failure; });
    if (round_ == round) throw Released();
  }

  // Ends what meet() began: returns once no rank reads what this one has shown, failures or not.
  void part() {
    std::unique_lock lock(world.mutex);
    if (--reading_ == 0) world.changed.notify_all();
    world.changed.wait(lock, [&] { return reading_ == 0; });
  }

 private:
  int arrived_ = 0;
  int reading_ = 0;
  std::int64_t round_ = 0;
};

class ThreadsCollective final : public Collective {
 public:
  ThreadsCollective(std::shared_ptr<Group> group, int rank) : group_(std::move(group)), rank_(rank) {}

  Rank rank() const override { return {rank_}; }
  int size() const override { return static_cast<int>(group_->shown.size()); }
  void barrier() override { group_->meet(); }

  void broadcast(std::span<std::byte> bytes, Rank root) override {
    show(bytes.data());
    if (rank_ != root.value) copy(group_->shown[root.value].memory, bytes);
    group_->part();
  }

  void all_gather(std::span<const std::byte> mine, std::span<const std::int64_t> lengths, std::span<std::byte> whole) override {
    show(mine.data());
    std::size_t begin = 0;
    for (int r = 0; r < size(); ++r) {
      const auto place = whole.subspan(begin, lengths[r]);
      if (place.data() != group_->shown[r].memory) copy(group_->shown[r].memory, place);
      begin += lengths[r];
    }
    group_->part();
  }

  void fold_scatter(std::span<const float> mine, std::span<const std::int64_t> lengths, int contributors, Fold fold,
                    std::span<float> accumulator) override {
    show(mine.data());
    std::size_t begin = 0;
    for (int r = 0; r < rank_; ++r) begin += lengths[r];
    for (int r = 0; r < contributors; ++r) {
      const std::span slice(static_cast<const float*>(group_->shown[r].memory) + begin, accumulator.size());
      if (r == 0 && fold == Fold::start)
        copy(slice.data(), std::as_writable_bytes(accumulator));
      else
        add(accumulator, slice);
    }
    group_->part();
  }

  void all_max(std::span<std::int64_t> values) override {
    combine(values, [](std::int64_t a, std::int64_t b) { return std::max(a, b); });
  }
  void all_sum(std::span<std::int64_t> values) override {
    combine(values, [](std::int64_t a, std::int64_t b) { return a + b; });
  }

  std::unique_ptr<Collective> split(int color) override {
    group_->shown[rank_].color = color;
    group_->meet();
    int size = 0, place = 0;
    for (int r = 0; r < this->size(); ++r) {
      if (group_->shown[r].color != color) continue;
      if (r < rank_) ++place;
      ++size;
    }
    std::shared_ptr<Group> part;
    {
      const std::lock_guard lock(group_->world.mutex);
      auto& entry = group_->split_off[color];
      if (!entry) entry = std::make_shared<Group>(group_->world, size);
      part = entry;
    }
    group_->meet();
    if (rank_ == 0) group_->split_off.clear();
    group_->meet();
    return std::make_unique<ThreadsCollective>(std::move(part), place);
  }

 private:
  void show(const void* memory) {
    group_->shown[rank_] = {memory, 0};
    group_->meet();
  }

  static void copy(const void* from, std::span<std::byte> to) {
    if (!to.empty()) std::memcpy(to.data(), from, to.size());
  }

  template <class Combine>
  void combine(std::span<std::int64_t> values, Combine two) {
    const std::vector<std::int64_t> mine(values.begin(), values.end());
    show(mine.data());
    for (int r = 0; r < size(); ++r) {
      const auto* theirs = static_cast<const std::int64_t*>(group_->shown[r].memory);
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = r == 0 ? theirs[i] : two(values[i], theirs[i]);
    }
    group_->part();
  }

  std::shared_ptr<Group> group_;   // owned by its ranks together: whichever ends last
  int rank_;
};

}   // namespace

void run_as_ranks(int ranks, const std::function<void(Collective& ranks)>& body) {
  World world;
  const auto group = std::make_shared<Group>(world, ranks);
  std::vector<std::thread> threads;
  for (int r = 0; r < ranks; ++r)
    threads.emplace_back([&, r] {
      ThreadsCollective collective(group, r);
      try {
        body(collective);
      } catch (const Released&) {
      } catch (...) {
        world.fail(std::current_exception());
      }
    });
  for (std::thread& thread : threads) thread.join();
  if (world.failure) std::rethrow_exception(world.failure);
}

}   // namespace lastro
