#include "kernels/linear.h"

#include <cmath>

#include "domain/errors.h"
#include "support.h"

namespace lastro::kernels {
namespace {

// One chain by the book.
float chain(std::int64_t depth, float begin, const std::function<float(std::int64_t)>& a, const std::function<float(std::int64_t)>& b) {
  float sum = begin;
  for (std::int64_t k = 0; k < depth; ++k) sum = std::fma(a(k), b(k), sum);
  return sum;
}

struct Sizes {
  std::int64_t tokens, inputs, outputs;
};
// Around every tile border: 4, 6 and 12 rows; 2, 16 and 32 columns; blocks of 512 steps; 2048 steps packed at a time.
const Sizes all_sizes[] = {{1, 1, 1},    {5, 7, 3},    {6, 16, 16},  {7, 257, 17}, {13, 31, 33},
                           {12, 64, 32}, {25, 40, 65}, {3, 600, 48}, {70, 9, 31},  {2, 2100, 5}};

std::vector<std::byte> workspace_for(const Workers& workers) { return std::vector<std::byte>(linear_workspace_bytes(workers.size())); }

class LinearOn : public ::testing::TestWithParam<Sizes> {};

TEST_P(LinearOn, ForwardIsOneChainPerOutput) {
  const auto [tokens, inputs, outputs] = GetParam();
  const FlushingDenormals flushing;
  const TestMatrix x = filled(1, tokens, inputs), weight = filled(2, outputs, inputs), before = filled(3, tokens, outputs);
  TestMatrix from_zero(tokens, outputs), from_output(tokens, outputs), added(tokens, outputs);
  for (std::int64_t t = 0; t < tokens; ++t)
    for (std::int64_t o = 0; o < outputs; ++o) {
      const auto a = [&](std::int64_t k) { return x.at(t, k); };
      const auto b = [&](std::int64_t k) { return weight.at(o, k); };
      from_zero.at(t, o) = chain(inputs, 0.0f, a, b);
      from_output.at(t, o) = chain(inputs, before.at(t, o), a, b);
      added.at(t, o) = before.at(t, o) + from_zero.at(t, o);
    }

  on_every_path([&](Workers& workers) {
    auto workspace = workspace_for(workers);
    TestMatrix y(tokens, outputs);
    linear_forward(workers, x.view(), weight.view(), y.view(), Start::zero, workspace);
    EXPECT_TRUE(same_bits_in(y.values, from_zero.values));
    y = before;
    linear_forward(workers, x.view(), weight.view(), y.view(), Start::output, workspace);
    EXPECT_TRUE(same_bits_in(y.values, from_output.values));
    linear_forward_add(workers, x.view(), weight.view(), before.view(), y.view(), workspace);
    EXPECT_TRUE(same_bits_in(y.values, added.values));
  });
}

TEST_P(LinearOn, BackwardToTheInputIsOneChainOverOutputs) {
  const auto [tokens, inputs, outputs] = GetParam();
  const FlushingDenormals flushing;
  const TestMatrix dy = filled(4, tokens, outputs), weight = filled(5, outputs, inputs), before = filled(6, tokens, inputs);
  TestMatrix from_zero(tokens, inputs), from_output(tokens, inputs);
  for (std::int64_t t = 0; t < tokens; ++t)
    for (std::int64_t i = 0; i < inputs; ++i) {
      const auto a = [&](std::int64_t k) { return dy.at(t, k); };
      const auto b = [&](std::int64_t k) { return weight.at(k, i); };
      from_zero.at(t, i) = chain(outputs, 0.0f, a, b);
      from_output.at(t, i) = chain(outputs, before.at(t, i), a, b);
    }

  on_every_path([&](Workers& workers) {
    auto workspace = workspace_for(workers);
    TestMatrix dx(tokens, inputs);
    linear_backward_input(workers, dy.view(), weight.view(), dx.view(), Start::zero, workspace);
    EXPECT_TRUE(same_bits_in(dx.values, from_zero.values));
    dx = before;
    linear_backward_input(workers, dy.view(), weight.view(), dx.view(), Start::output, workspace);
    EXPECT_TRUE(same_bits_in(dx.values, from_output.values));
  });
}

TEST_P(LinearOn, BackwardToTheWeightIsOneChainOverTokens) {
  const auto [tokens, inputs, outputs] = GetParam();
  const FlushingDenormals flushing;
  const TestMatrix dy = filled(7, tokens, outputs), x = filled(8, tokens, inputs), before = filled(9, outputs, inputs);
  TestMatrix from_zero(outputs, inputs), from_output(outputs, inputs);
  for (std::int64_t o = 0; o < outputs; ++o)
    for (std::int64_t i = 0; i < inputs; ++i) {
      const auto a = [&](std::int64_t k) { return dy.at(k, o); };
      const auto b = [&](std::int64_t k) { return x.at(k, i); };
      from_zero.at(o, i) = chain(tokens, 0.0f, a, b);
      from_output.at(o, i) = chain(tokens, before.at(o, i), a, b);
    }

  on_every_path([&](Workers& workers) {
    auto workspace = workspace_for(workers);
    TestMatrix dweight(outputs, inputs);
    linear_backward_weight(workers, dy.view(), x.view(), dweight.view(), Start::zero, workspace);
    EXPECT_TRUE(same_bits_in(dweight.values, from_zero.values));
    dweight = before;
    linear_backward_weight(workers, dy.view(), x.view(), dweight.view(), Start::output, workspace);
    EXPECT_TRUE(same_bits_in(dweight.values, from_output.values));
  });
}

INSTANTIATE_TEST_SUITE_P(Sizes, LinearOn, ::testing::ValuesIn(all_sizes), [](const auto& info) {
  return std::to_string(info.param.tokens) + "x" + std::to_string(info.param.inputs) + "x" + std::to_string(info.param.outputs);
});

TEST(Linear, AnEmptyContractionGivesZero) {
  on_every_path([&](Workers& workers) {
    auto workspace = workspace_for(workers);
    TestMatrix x(4, 0), weight(5, 0), y(4, 5, 0);
    linear_forward(workers, x.view(), weight.view(), y.view(), Start::zero, workspace);
    EXPECT_TRUE(same_bits_in(y.values, std::vector<float>(20, 0.0f)));
  });
}

TEST(Linear, AChainCutInTwoAndCarriedOnHasTheSameBits) {
  const TestMatrix x = filled(1, 9, 50), weight = filled(2, 20, 50);
  on_every_path([&](Workers& workers) {
    auto workspace = workspace_for(workers);
    TestMatrix whole(9, 20), cut(9, 20);
    linear_forward(workers, x.view(), weight.view(), whole.view(), Start::zero, workspace);
    linear_forward(workers, x.view().columns_from(0, 13), weight.view().columns_from(0, 13), cut.view(), Start::zero, workspace);
    linear_forward(workers, x.view().columns_from(13, 37), weight.view().columns_from(13, 37), cut.view(), Start::output, workspace);
    EXPECT_TRUE(same_bits_in(cut.values, whole.values));
  });
}

TEST(Linear, ARowAloneHasTheBitsOfItsBatch) {
  const TestMatrix x = filled(1, 9, 300), weight = filled(2, 40, 300);
  on_every_path([&](Workers& workers) {
    auto workspace = workspace_for(workers);
    TestMatrix batch(9, 40), alone(9, 40);
    linear_forward(workers, x.view(), weight.view(), batch.view(), Start::zero, workspace);
    for (std::int64_t row = 0; row < 9; ++row)
      linear_forward(workers, x.view().rows_from(row, 1), weight.view(), alone.view().rows_from(row, 1), Start::zero, workspace);
    EXPECT_TRUE(same_bits_in(alone.values, batch.values));
  });
}

TEST(Linear, RefusesShapesThatDisagreeAndNamesThem) {
  OneWorker workers;
  const TestMatrix x = filled(1, 3, 8), weight = filled(2, 5, 7);
  TestMatrix y(3, 5);
  auto workspace = workspace_for(workers);
  try {
    linear_forward(workers, x.view(), weight.view(), y.view(), Start::zero, workspace);
    FAIL() << "not refused";
  } catch (const InternalError& error) {
    EXPECT_STREQ(error.what(), "linear_forward: weight is [5, 7] with stride 10 (wanted [5, 8])");
  }
}

TEST(Linear, RefusesAWorkspaceThatIsTooSmall) {
  OneWorker workers;
  const TestMatrix x = filled(1, 3, 8), weight = filled(2, 5, 8);
  TestMatrix y(3, 5);
  std::vector<std::byte> workspace(64);
  EXPECT_THROW(linear_forward(workers, x.view(), weight.view(), y.view(), Start::zero, workspace), InternalError);
}

}   // namespace
}   // namespace lastro::kernels
