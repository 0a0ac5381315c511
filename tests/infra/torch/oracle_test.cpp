#include <gmock/gmock.h>

#include "infra/torch/torch_oracle.h"
#include "support/oracle_match.h"
#include "support/thread_workers.h"

namespace lastro {
namespace {

struct Case {
  std::string name;
  ModelShape shape;
  LeafShape leaf;
};

Case odd_case(std::string name, bool tied, std::int64_t heads, std::int64_t kv_heads, LeafShape leaf) {
  ModelShape shape = odd_shape();
  shape.tied = tied;
  shape.heads = heads;
  shape.kv_heads = kv_heads;
  return {std::move(name), shape, leaf};
}

ModelShape round_shape() {
  ModelShape shape;
  shape.vocabulary = 128;
  shape.width = 64;
  shape.layers = 3;
  shape.heads = 4;
  shape.kv_heads = 2;
  shape.head_dim = 16;
  shape.ffn = 160;
  shape.context = 128;
  return shape;
}

std::vector<Case> cases() {
  return {odd_case("TiedOneKeyHead", true, 3, 1, {2, 41}),  odd_case("UntiedOneKeyHead", false, 3, 1, {2, 41}),
          odd_case("TiedAllKeyHeads", true, 3, 3, {1, 75}), odd_case("UntiedGroupedAcrossKeyBlocks", false, 4, 2, {3, 70}),
          odd_case("OneToken", true, 3, 1, {5, 1}),         {"RoundSizes", round_shape(), {2, 128}}};
}

class TheOracle : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(OfLibTorch, TheOracle, testing::ValuesIn(cases()), [](const auto& info) { return info.param.name; });

TEST_P(TheOracle, AgreesOnTheLossAndEveryGradientTensor) {
  const auto& [name, shape, leaf_shape] = GetParam();
  const SmallModel model(shape);
  const SmallLeaf leaf(shape, leaf_shape);   // a quarter of the rows are masked
  OneWorker one;

  const auto ours = run_pass(model, leaf, Keep::inputs, one);
  const auto answer =
      make_torch_oracle()->judge(shape, model.weights(), {leaf_shape, leaf.tokens, leaf.targets, leaf.loss_weights}, Oracle::Precision::fp64);

  EXPECT_NEAR(ours.loss / answer.loss, 1.0, 1e-6);
  for (std::size_t row = 0; row < leaf.tokens.size(); ++row) EXPECT_NEAR(ours.logprobs[row], answer.logprobs[row], 5e-5) << row;
  for (const auto& [tensor, relative] : distances(shape, ours.gradients, answer)) EXPECT_LT(relative, oracle_tolerance) << tensor;
}

TEST(TheOracle, AnswersInFp32Too) {
  const SmallModel model(odd_shape());
  const SmallLeaf leaf(model.shape, {2, 30});
  const auto oracle = make_torch_oracle();
  const Oracle::Leaf asked{leaf.shape, leaf.tokens, leaf.targets, leaf.loss_weights};

  const auto narrow = oracle->judge(model.shape, model.weights(), asked, Oracle::Precision::fp32);
  const auto wide = oracle->judge(model.shape, model.weights(), asked, Oracle::Precision::fp64);

  EXPECT_NE(narrow.gradients, wide.gradients);
  EXPECT_LT(worst(distances(model.shape, narrow.gradients, wide)).relative, oracle_tolerance);
  EXPECT_THAT(oracle->name(), testing::StartsWith("LibTorch "));
}

}   // namespace
}   // namespace lastro
