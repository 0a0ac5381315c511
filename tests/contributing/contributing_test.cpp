#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/stage_registry.h"
#include "kernels/squared_relu.h"
#include "stages/document_length.h"
#include "tests/kernels/support.h"

// The worked examples of CONTRIBUTING.md, compiled and used as it says. (tests/house/contributing_test.sh holds its text against these files.)
namespace lastro {
namespace {

using ::testing::ElementsAre;

TEST(Contributing, AStageIsAddedByOneLine) {
  StageRegistry kinds;

  register_stage<DocumentLengthStage>(kinds);

  const StageKind* added = kinds.find("document_length");
  ASSERT_TRUE(added);
  EXPECT_EQ(added->output, ArtifactType::eval_report);
  ASSERT_EQ(added->inputs.size(), 1u);
  EXPECT_EQ(added->inputs[0].name, "dataset");
  EXPECT_THAT(added->inputs[0].accepts, ElementsAre(ArtifactType::dataset));
  EXPECT_THAT(added->measurements(), ElementsAre("documents", "tokens_per_document"));
}

TEST(Contributing, AKernelGivesTheSameBitsOnEveryPath) {
  const kernels::FlushingDenormals flushing;
  const kernels::TestMatrix x = kernels::filled(1, 7, 45);
  kernels::TestMatrix wanted(7, 45);
  for (std::int64_t r = 0; r < 7; ++r)
    for (std::int64_t c = 0; c < 45; ++c) wanted.at(r, c) = x.at(r, c) > 0 ? x.at(r, c) * x.at(r, c) : 0.0f;

  kernels::on_every_path([&](Workers& workers) {
    kernels::TestMatrix found(7, 45);
    kernels::squared_relu(workers, x.view(), found.view());
    EXPECT_TRUE(kernels::same_bits_in(found.values, wanted.values));
  });
}

}   // namespace
}   // namespace lastro
