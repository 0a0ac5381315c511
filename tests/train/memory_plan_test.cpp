#include "train/memory_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/errors.h"
#include "model/tensors.h"
#include "support/hundred_million.h"
#include "train/training.h"

namespace lastro::test {
namespace {

using ::testing::HasSubstr;

TEST(MemoryPlan, IsWhatTheEngineAllocatesToTheByte) {
  for (const bool tied : {true, false})
    for (const std::int64_t leaves : {1, 5})
      for (const Keep keep : {Keep::everything, Keep::inputs})
        for (const int ranks : {1, 2, 4}) {
          if (ranks > leaves) continue;
          const EngineShape shape = small_engine(leaves, tied, keep);
          on_ranks(ranks, 2, [&](Collective& collective, Workers& workers) {
            const Zero3Engine engine(collective, workers, shape);
            MemoryPlan plan = memory_plan(shape, collective.rank(), ranks, 2);

            EXPECT_EQ(plan.engine(), engine.allocated().total());
            plan.staging = plan.libraries = 0;
            EXPECT_EQ(lines_of(plan).size(), 9u);
            EXPECT_EQ(plan, engine.allocated());
          });
        }
}

TEST(MemoryPlan, OfFourRanksIsAtMostThreeTenthsOfOne) {
  const EngineShape shape{hundred_million(512), {1, 512}, 8, Keep::everything};
  ASSERT_GT(parameter_count(shape.model), 100'000'000);

  const MemoryPlan one = largest_memory_plan(shape, 1, 1);
  const MemoryPlan four = largest_memory_plan(shape, 4, 1);

  EXPECT_LE(static_cast<double>(four.weights), 0.3 * static_cast<double>(one.weights));
  EXPECT_LE(static_cast<double>(four.optimizer), 0.3 * static_cast<double>(one.optimizer));
  EXPECT_LE(static_cast<double>(four.gradients), 0.3 * static_cast<double>(one.gradients));
}

TEST(MemoryPlan, HoldsTwoUnitsAndOneGradientUnit) {
  const EngineShape shape{hundred_million(512), {1, 512}, 8, Keep::everything};
  const std::int64_t largest = largest_unit_elements(shape.model) * 4;

  const MemoryPlan four = largest_memory_plan(shape, 4, 1);

  EXPECT_LE(four.gather_buffers, 2 * largest);
  EXPECT_EQ(four.gradient_unit, largest);
}

TEST(MemoryPlan, RecomputesBlocksWhereTheLimitAsksForIt) {
  PretrainSettings settings = small_settings(10);
  settings.batch.sequences_per_leaf = 64;
  EngineShape shape = engine_shape(settings, settings.model);
  const std::int64_t most = largest_memory_plan(shape, 1, 1).total();

  EXPECT_EQ(fit_memory(settings, settings.model, 1, 1, most).keep, Keep::everything);
  EXPECT_EQ(fit_memory(settings, settings.model, 1, 1, most - 1).keep, Keep::inputs);
  settings.recompute = Recompute::never;
  EXPECT_THROW(fit_memory(settings, settings.model, 1, 1, most - 1), BudgetError);
}

TEST(MemoryPlan, SaysWhatDoesNotFitAndWhatWould) {
  const PretrainSettings settings = small_settings(10, 8);
  const EngineShape shape = engine_shape(settings, settings.model);
  const std::int64_t less = largest_memory_plan({shape.model, shape.leaf, shape.leaves, Keep::inputs}, 3, 1).total();
  const auto fit = [&](std::int64_t limit) {
    try {
      fit_memory(settings, settings.model, 2, 1, limit);
    } catch (const BudgetError& error) {
      return std::string(error.what());
    }
    return std::string("fits");
  };

  EXPECT_THAT(fit(less), HasSubstr("3 ranks fit"));
  EXPECT_THAT(fit(less), HasSubstr("weights"));
  EXPECT_THAT(fit(1000), HasSubstr("smaller model"));
}

}   // namespace
}   // namespace lastro::test
