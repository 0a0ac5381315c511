#include "infra/workers/worker_pool.h"

#include <xmmintrin.h>

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "domain/errors.h"

namespace lastro {
namespace {

constexpr int spins = 2000;   // some ten microseconds: longer than the gaps between kernels, shorter than a time slice

void flush_denormals() { _mm_setcsr(_mm_getcsr() | 0x8040); }   // FTZ and DAZ

}   // namespace

class WorkerPool::Threads {
 public:
  explicit Threads(int workers) : errors_(static_cast<std::size_t>(workers)) {
    flush_denormals();
    try {
      for (int worker = 1; worker < workers; ++worker) threads_.emplace_back([this, worker] { serve(worker); });
    } catch (const std::system_error& error) {
      stop();
      throw EnvironmentError("a thread for " + std::to_string(workers) + " workers could not be made (" + error.what() + "). Use fewer --threads",
                             "pthread", "pthread_create", error.code().value());
    }
  }
  ~Threads() { stop(); }

  int size() const { return static_cast<int>(errors_.size()); }

  void run(const std::function<void(int worker)>& task) {
    task_ = &task;
    unfinished_.store(static_cast<int>(threads_.size()), std::memory_order_relaxed);
    announce_round();
    attempt(0);
    await_finish();
    rethrow_first();
  }

 private:
  void announce_round() {
    if (threads_.empty()) return;
    {
      const std::lock_guard lock(mutex_);
      round_.fetch_add(1, std::memory_order_release);
    }
    wake_.notify_all();
  }

  void await_finish() {
    for (int spin = 0; spin < spins; ++spin) {
      if (unfinished_.load(std::memory_order_acquire) == 0) return;
      _mm_pause();
    }
    std::unique_lock lock(mutex_);
    finished_.wait(lock, [this] { return unfinished_.load(std::memory_order_acquire) == 0; });
  }

  void attempt(int worker) {
    try {
      (*task_)(worker);
    } catch (...) {
      errors_[static_cast<std::size_t>(worker)] = std::current_exception();
    }
  }

  void rethrow_first() {
    std::exception_ptr first;
    for (std::exception_ptr& error : errors_) {
      if (!first) first = error;
      error = nullptr;
    }
    if (first) std::rethrow_exception(first);
  }

  // Rounds count up; a worker waits for one it has not served.
  void await_round(std::uint64_t served) {
    for (int spin = 0; spin < spins; ++spin) {
      if (round_.load(std::memory_order_acquire) != served) return;
      _mm_pause();
    }
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [&] { return round_.load(std::memory_order_acquire) != served; });
  }

  void serve(int worker) {
    flush_denormals();
    for (std::uint64_t served = 0;; ++served) {
      await_round(served);
      if (stopping_.load(std::memory_order_acquire)) return;
      attempt(worker);
      if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        const std::lock_guard lock(mutex_);   // the caller is either before its look at the count or in its wait
        finished_.notify_one();
      }
    }
  }

  void stop() {
    stopping_.store(true, std::memory_order_release);
    announce_round();
    for (std::thread& thread : threads_) thread.join();
  }

  std::vector<std::exception_ptr> errors_;   // one a worker
  const std::function<void(int)>* task_ = nullptr;
  std::atomic<std::uint64_t> round_{0};
  std::atomic<int> unfinished_{0};
  std::atomic<bool> stopping_{false};
  std::mutex mutex_;
  std::condition_variable wake_, finished_;
  std::vector<std::thread> threads_;
};

WorkerPool::WorkerPool(int workers) {
  if (workers < 1) throw UsageError("threads " + std::to_string(workers) + " (at least 1: the caller's own). Set --threads 1 or more");
  threads_ = std::make_unique<Threads>(workers);
}
WorkerPool::~WorkerPool() = default;

int WorkerPool::size() const { return threads_->size(); }
void WorkerPool::run(const std::function<void(int worker)>& task) { threads_->run(task); }

}   // namespace lastro
