#include "infra/workers/worker_pool.h"

#include <gtest/gtest.h>
#include <xmmintrin.h>

#include <atomic>
#include <chrono>
#include <set>
#include <stdexcept>
#include <thread>

#include "domain/errors.h"

namespace lastro {
namespace {

TEST(WorkerPool, RunsEachWorkerOnceOnItsOwnThread) {
  for (const int size : {1, 2, 5}) {
    WorkerPool pool(size);
    for (int round = 0; round < 300; ++round) {
      std::vector<int> calls(size);
      std::vector<std::thread::id> threads(size);
      pool.run([&](int worker) {
        ++calls[worker];
        threads[worker] = std::this_thread::get_id();
      });
      ASSERT_EQ(calls, std::vector<int>(size, 1));
      ASSERT_EQ(std::set(threads.begin(), threads.end()).size(), static_cast<std::size_t>(size));
      ASSERT_EQ(threads[0], std::this_thread::get_id());
    }
  }
}

TEST(WorkerPool, WakesThreadsThatHaveGoneToSleep) {
  WorkerPool pool(3);
  for (int round = 0; round < 3; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));   // longer than the spin
    std::atomic<int> calls{0};
    pool.run([&](int worker) {
      if (worker == 2) std::this_thread::sleep_for(std::chrono::milliseconds(2));   // the caller sleeps too
      ++calls;
    });
    EXPECT_EQ(calls, 3);
  }
}

TEST(WorkerPool, RethrowsATasksExceptionAndGoesOn) {
  WorkerPool pool(3);
  EXPECT_THROW(pool.run([](int worker) {
    if (worker == 2) throw std::runtime_error("no");
  }),
               std::runtime_error);
  EXPECT_THROW(pool.run([](int worker) {
    if (worker == 0) throw std::runtime_error("no");
  }),
               std::runtime_error);
  std::atomic<int> calls{0};
  pool.run([&](int) { ++calls; });
  EXPECT_EQ(calls, 3);
}

TEST(WorkerPool, FlushesDenormalsInEveryThread) {
  WorkerPool pool(3);
  std::vector<unsigned> set(3);
  pool.run([&](int worker) { set[worker] = _mm_getcsr() & 0x8040; });
  EXPECT_EQ(set, std::vector<unsigned>(3, 0x8040));
}

TEST(WorkerPool, RefusesToHaveNoWorker) { EXPECT_THROW(WorkerPool(0), UsageError); }

}   // namespace
}   // namespace lastro
