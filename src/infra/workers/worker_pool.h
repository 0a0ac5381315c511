#pragma once

#include <memory>

#include "domain/workers.h"

namespace lastro {

// Threads that wait for work: a short spin, then a condition variable (ranks may be more than cores). Each flushes denormals.
// One run at a time; the caller's thread is worker 0.
class WorkerPool final : public Workers {
 public:
  explicit WorkerPool(int workers);   // UsageError when below 1, EnvironmentError when a thread cannot be made
  ~WorkerPool() override;

  int size() const override;
  void run(const std::function<void(int worker)>& task) override;

 private:
  class Threads;
  std::unique_ptr<Threads> threads_;
};

}   // namespace lastro
