#include <gmock/gmock.h>

#include "fault.h"
#include "infra/torch/torch_oracle.h"
#include "kernels/path.h"
#include "support/oracle_match.h"

namespace lastro {

Fault fault_in_force = Fault::none;

namespace {

// A tied and an untied model with masked rows, several key blocks and several query heads for a key head.
struct Judged {
  explicit Judged(bool tied) : model(shape_of(tied)), leaf(model.shape, {2, 70}) {
    answer =
        make_torch_oracle()->judge(model.shape, model.weights(), {leaf.shape, leaf.tokens, leaf.targets, leaf.loss_weights}, Oracle::Precision::fp64);
  }
  Distance worst_distance() const {
    OneWorker one;
    return worst(distances(model.shape, run_pass(model, leaf, Keep::inputs, one).gradients, answer));
  }
  static ModelShape shape_of(bool tied) {
    ModelShape shape = odd_shape();
    shape.tied = tied;
    return shape;
  }

  SmallModel model;
  SmallLeaf leaf;
  Oracle::Answer answer;
};

const Judged& tied() {
  static const Judged judged(true);
  return judged;
}
const Judged& untied() {
  static const Judged judged(false);
  return judged;
}

class PlantedFault : public testing::TestWithParam<int> {
 protected:
  ~PlantedFault() override { fault_in_force = Fault::none; }
  kernels::CpuPathInForce scalar_{kernels::CpuPath::scalar};   // the path that the copies are of
};
INSTANTIATE_TEST_SUITE_P(OfEachKind, PlantedFault, testing::Range(1, static_cast<int>(Fault::count)));

TEST(SourcesWithFaults, AgreeWithTheOracleWhileNoneIsInForce) {
  const kernels::CpuPathInForce scalar(kernels::CpuPath::scalar);

  EXPECT_LT(tied().worst_distance().relative, oracle_tolerance);
  EXPECT_LT(untied().worst_distance().relative, oracle_tolerance);
}

TEST_P(PlantedFault, ExceedsTheOraclesToleranceTenfold) {
  fault_in_force = static_cast<Fault>(GetParam());

  const Distance distance = tied().worst_distance();

  EXPECT_GT(distance.relative, 10 * oracle_tolerance) << "of all tensors, " << distance.tensor << " is farthest from the oracle";
}

}   // namespace
}   // namespace lastro
