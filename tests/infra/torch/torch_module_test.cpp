#include "infra/torch/torch_module.h"

#include <gmock/gmock.h>

#include "domain/errors.h"
#include "infra/torch/torch_oracle.h"
#include "support/small_model.h"

namespace lastro {
namespace {

TEST(TorchModule, GivesTheOracleThatLinkingWouldGive) {
  const SmallModel model(odd_shape());
  const SmallLeaf leaf(model.shape, {1, 9});
  const Oracle::Leaf asked{leaf.shape, leaf.tokens, leaf.targets, leaf.loss_weights};

  const auto loaded = load_torch_oracle()->judge(model.shape, model.weights(), asked, Oracle::Precision::fp64);

  EXPECT_EQ(loaded.gradients, make_torch_oracle()->judge(model.shape, model.weights(), asked, Oracle::Precision::fp64).gradients);
}

TEST(TorchModule, PassesErrorsOn) { EXPECT_THROW(load_pt_file("/nowhere/absent.pt"), EnvironmentError); }

}   // namespace
}   // namespace lastro
