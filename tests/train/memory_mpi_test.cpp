#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "infra/workers/worker_pool.h"
#include "model/tensors.h"
#include "support/counting_new.h"
#include "support/hundred_million.h"
#include "support/mpi_main.h"
#include "train/engine.h"
#include "train/resident.h"

namespace lastro {
namespace {

class Zeros final : public LeafSource {
 public:
  void leaf(std::int64_t, std::int64_t, std::span<TokenId> tokens) override { std::fill(tokens.begin(), tokens.end(), TokenId{0}); }
};

TEST(Memory, OfAHundredMillionParametersFollowsThePlan) {
  const auto ranks = session_of_test().ranks();
  WorkerPool workers(1);
  const EngineShape shape{test::hundred_million(8), {1, 8}, 4, Keep::everything};
  ASSERT_GT(parameter_count(shape.model), 100'000'000);
  MemoryPlan plan = memory_plan(shape, ranks->rank(), ranks->size(), workers.size());
  plan.staging = 0;   // nothing is saved here

  Zero3Engine engine(*ranks, workers, shape);
  Zeros zeros;
  engine.accumulate(zeros, 0, {});
  engine.apply({.learning_rate = 1e-3});
  const std::int64_t after_first_step = resident_bytes();
  test::start_counting_allocations();
  engine.accumulate(zeros, 1, {});
  engine.apply({.learning_rate = 1e-3, .update = 2});
  const std::int64_t allocations = test::allocations_counted();
  const std::int64_t resident = resident_bytes();

  std::printf("rank %d of %d: planned %.1f MB (libraries %.1f), resident %.1f MB\n", ranks->rank().value, ranks->size(),
              static_cast<double>(plan.total()) * 1e-6, static_cast<double>(plan.libraries) * 1e-6, static_cast<double>(resident) * 1e-6);
  EXPECT_EQ(allocations, 0);
  EXPECT_LE(std::fabs(static_cast<double>(resident - plan.total())), 0.05 * static_cast<double>(plan.total()));
  EXPECT_LE(resident - after_first_step, 1 << 20);
}

}   // namespace
}   // namespace lastro
