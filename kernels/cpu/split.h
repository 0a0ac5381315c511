#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "domain/workers.h"
#include "kernels/denormals.h"

namespace lastro::kernels {

// Runs task(worker) on every worker with denormals flushed. The std::function holds one reference, so nothing is allocated.
template <class Task>
void on_workers(Workers& workers, const Task& task) {
  const auto flushed = [&task](int worker) {
    const FlushingDenormals flushing;
    task(worker);
  };
  workers.run([&flushed](int worker) { flushed(worker); });
}

// task(worker, begin, end) for contiguous parts of `count` items, multiples of `grain` but for the last. A worker that is done takes a part of
// what is left, so that workers on unlike or shared processors end together. Who takes what leaves no trace in a result.
template <class Task>
void deal(Workers& workers, std::int64_t count, std::int64_t grain, const Task& task) {
  std::atomic<std::int64_t> next{0};
  const std::int64_t shares = 2 * workers.size() - 1;
  on_workers(workers, [&](int worker) {
    std::int64_t begin = next.load(std::memory_order_relaxed);
    while (begin < count) {
      const std::int64_t grains = ((count - begin) / shares + grain - 1) / grain;
      const std::int64_t end = std::min(count, begin + std::max<std::int64_t>(1, grains) * grain);
      if (!next.compare_exchange_weak(begin, end, std::memory_order_relaxed)) continue;
      task(worker, begin, end);
      begin = next.load(std::memory_order_relaxed);
    }
  });
}

// task(begin, end), dealt likewise.
template <class Task>
void split(Workers& workers, std::int64_t count, std::int64_t grain, const Task& task) {
  deal(workers, count, grain, [&](int, std::int64_t begin, std::int64_t end) { task(begin, end); });
}

}   // namespace lastro::kernels
