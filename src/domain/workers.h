#pragma once

#include <cstdint>
#include <functional>

namespace lastro {

// The threads of one rank. Work is split over them by index; no result may depend on how many there are.
class Workers {
 public:
  virtual ~Workers() = default;

  // How many threads take part, the caller's included.
  virtual int size() const = 0;

  // Calls task(worker) once for each worker in [0, size()), on its own thread (worker 0 on the caller's), and returns when all have.
  // An exception of a task is rethrown here. Not to be called from inside a task.
  virtual void run(const std::function<void(int worker)>& task) = 0;
};

// The caller's thread alone.
class OneWorker final : public Workers {
 public:
  int size() const override { return 1; }
  void run(const std::function<void(int worker)>& task) override { task(0); }
};

// The part [begin, end) of `count` equal items that worker `worker` of `workers` takes; parts are contiguous and ascending.
struct Part {
  std::int64_t begin;
  std::int64_t end;
};
constexpr Part part_of(std::int64_t count, int worker, int workers) { return {count * worker / workers, count * (worker + 1) / workers}; }

}   // namespace lastro
