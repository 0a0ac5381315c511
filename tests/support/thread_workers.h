#pragma once

#include <thread>
#include <vector>

#include "domain/workers.h"

namespace lastro {

// Threads started anew for each task: slow, simple, for tests.
class ThreadWorkers final : public Workers {
 public:
  explicit ThreadWorkers(int size) : size_(size) {}
  int size() const override { return size_; }
  void run(const std::function<void(int worker)>& task) override {
    std::vector<std::thread> threads;
    for (int worker = 1; worker < size_; ++worker) threads.emplace_back(task, worker);
    task(0);
    for (auto& thread : threads) thread.join();
  }

 private:
  int size_;
};

}   // namespace lastro
