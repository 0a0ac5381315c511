#pragma once

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

// task(begin, end) for contiguous parts of `count` items in multiples of `grain`, in parallel.
template <class Task>
void split(Workers& workers, std::int64_t count, std::int64_t grain, const Task& task) {
  const std::int64_t grains = (count + grain - 1) / grain;
  const int parts = workers.size();
  on_workers(workers, [&](int worker) {
    const Part part = part_of(grains, worker, parts);
    const std::int64_t end = part.end * grain < count ? part.end * grain : count;
    if (part.begin * grain < end) task(part.begin * grain, end);
  });
}

}   // namespace lastro::kernels
