#include <cmath>

#include "domain/errors.h"
#include "element/exp_log.h"
#include "kernels/embedding.h"
#include "kernels/reduce.h"
#include "kernels/rmsnorm.h"
#include "kernels/rope.h"
#include "kernels/swiglu.h"
#include "support.h"

namespace lastro::kernels {
namespace {

float sigmoid_by_the_book(float x) { return 1.0f / (1.0f + exp_of(-x)); }

// Widths around registers of 8 and 16 lanes.
class RowsOn : public ::testing::TestWithParam<std::int64_t> {};
constexpr std::int64_t tokens = 7;

TEST_P(RowsOn, RmsnormGoesByTheBook) {
  const FlushingDenormals flushing;
  const std::int64_t width = GetParam();
  const TestMatrix x = filled(1, tokens, width), dy = filled(3, tokens, width), beside = filled(4, tokens, width);
  const std::vector<float> weight = test_numbers(2, width), before = test_numbers(5, width);
  TestMatrix y(tokens, width), dx(tokens, width), dx_beside(tokens, width);
  std::vector<float> inverse(tokens), dweight(width, 0.0f), carried = before;
  for (std::int64_t t = 0; t < tokens; ++t) {
    float squares[16] = {}, products[16] = {};
    for (std::int64_t c = 0; c < width; ++c) squares[c % 16] = std::fma(x.at(t, c), x.at(t, c), squares[c % 16]);
    inverse[t] = 1.0f / std::sqrt(row_sum(squares) / static_cast<float>(width) + 1e-5f);
    for (std::int64_t c = 0; c < width; ++c) {
      y.at(t, c) = (x.at(t, c) * inverse[t]) * weight[c];
      products[c % 16] = std::fma(dy.at(t, c) * weight[c], x.at(t, c) * inverse[t], products[c % 16]);
      dweight[c] = std::fma(dy.at(t, c), x.at(t, c) * inverse[t], dweight[c]);
      carried[c] = std::fma(dy.at(t, c), x.at(t, c) * inverse[t], carried[c]);
    }
    const float mean = row_sum(products) / static_cast<float>(width);
    for (std::int64_t c = 0; c < width; ++c) {
      dx.at(t, c) = inverse[t] * std::fma(-(x.at(t, c) * inverse[t]), mean, dy.at(t, c) * weight[c]);
      dx_beside.at(t, c) = beside.at(t, c) + dx.at(t, c);
    }
  }

  on_every_path([&](Workers& workers) {
    TestMatrix found(tokens, width);
    std::vector<float> found_inverse(tokens), found_dweight(width);
    rmsnorm_forward(workers, x.view(), weight.data(), 1e-5f, found.view(), found_inverse.data());
    EXPECT_TRUE(same_bits_in(found.values, y.values));
    EXPECT_TRUE(same_bits_in(found_inverse, inverse));
    rmsnorm_backward_input(workers, x.view(), weight.data(), inverse.data(), dy.view(), {}, found.view());
    EXPECT_TRUE(same_bits_in(found.values, dx.values));
    found = beside;
    rmsnorm_backward_input(workers, x.view(), weight.data(), inverse.data(), dy.view(), found.view(), found.view());
    EXPECT_TRUE(same_bits_in(found.values, dx_beside.values));
    rmsnorm_backward_weight(workers, x.view(), inverse.data(), dy.view(), found_dweight.data(), Start::zero);
    EXPECT_TRUE(same_bits_in(found_dweight, dweight));
    found_dweight = before;
    rmsnorm_backward_weight(workers, x.view(), inverse.data(), dy.view(), found_dweight.data(), Start::output);
    EXPECT_TRUE(same_bits_in(found_dweight, carried));
  });
}

TEST_P(RowsOn, SwigluGoesByTheBook) {
  const FlushingDenormals flushing;
  const std::int64_t width = GetParam();
  const TestMatrix gate = filled(1, tokens, width), up = filled(2, tokens, width), dh = filled(3, tokens, width);
  TestMatrix h(tokens, width), dgate(tokens, width), dup(tokens, width);
  for (std::int64_t t = 0; t < tokens; ++t)
    for (std::int64_t c = 0; c < width; ++c) {
      const float g = gate.at(t, c), u = up.at(t, c), d = dh.at(t, c), s = sigmoid_by_the_book(g);
      h.at(t, c) = (g * s) * u;
      dgate.at(t, c) = (d * u) * (s * std::fma(g, 1.0f - s, 1.0f));
      dup.at(t, c) = d * (g * s);
    }

  on_every_path([&](Workers& workers) {
    TestMatrix found(tokens, width), found_gate = gate, found_up = up;
    swiglu_forward(workers, gate.view(), up.view(), found.view());
    EXPECT_TRUE(same_bits_in(found.values, h.values));
    swiglu_backward(workers, std::as_const(found_gate).view(), std::as_const(found_up).view(), dh.view(), found_gate.view(), found_up.view());
    EXPECT_TRUE(same_bits_in(found_gate.values, dgate.values));
    EXPECT_TRUE(same_bits_in(found_up.values, dup.values));
  });
}

INSTANTIATE_TEST_SUITE_P(Widths, RowsOn, ::testing::Values(1, 5, 8, 15, 16, 17, 24, 33, 48, 70),
                         [](const auto& info) { return std::to_string(info.param); });

class RopeOn : public ::testing::TestWithParam<int> {};

TEST_P(RopeOn, TurnsByTheBookAndBack) {
  const FlushingDenormals flushing;
  const int head_dim = GetParam(), half = head_dim / 2, heads = 3;
  constexpr std::int64_t sequence = 4, first_position = 2, rows = 2 * sequence;
  std::vector<float> cosines((first_position + sequence) * half), sines(cosines.size());
  rope_tables(first_position + sequence, head_dim, 10000.0, cosines.data(), sines.data());
  const TestMatrix x = filled(1, rows, heads * head_dim);
  TestMatrix forward(rows, x.columns), backward(rows, x.columns);
  for (std::int64_t r = 0; r < rows; ++r)
    for (int h = 0; h < heads; ++h)
      for (int i = 0; i < half; ++i) {
        const std::int64_t at = (first_position + r % sequence) * half + i;
        const float a = x.at(r, h * head_dim + i), b = x.at(r, h * head_dim + half + i), c = cosines[at], s = sines[at];
        forward.at(r, h * head_dim + i) = std::fma(a, c, -(b * s));
        forward.at(r, h * head_dim + half + i) = std::fma(b, c, a * s);
        backward.at(r, h * head_dim + i) = std::fma(a, c, b * s);
        backward.at(r, h * head_dim + half + i) = std::fma(b, c, -(a * s));
      }

  on_every_path([&](Workers& workers) {
    TestMatrix found = x;
    rope(workers, found.view(), heads, head_dim, sequence, first_position, cosines.data(), sines.data(), Turn::forward);
    EXPECT_TRUE(same_bits_in(found.values, forward.values));
    found = x;
    rope(workers, found.view(), heads, head_dim, sequence, first_position, cosines.data(), sines.data(), Turn::backward);
    EXPECT_TRUE(same_bits_in(found.values, backward.values));
  });
}
INSTANTIATE_TEST_SUITE_P(HeadDims, RopeOn, ::testing::Values(8, 16, 24, 40, 64, 128), [](const auto& info) { return std::to_string(info.param); });

TEST(Rope, TablesAreTheRoundedTrueValues) {
  constexpr int half = 16;
  std::vector<float> cosines(2000 * half), sines(2000 * half);
  rope_tables(2000, 2 * half, 10000.0, cosines.data(), sines.data());
  for (const int position : {0, 1, 7, 255, 1999})
    for (int i = 0; i < half; ++i) {
      const long double angle = position * std::pow(10000.0L, -2.0L * i / (2 * half));
      EXPECT_EQ(cosines[position * half + i], static_cast<float>(std::cos(angle)));
      EXPECT_EQ(sines[position * half + i], static_cast<float>(std::sin(angle)));
    }
}

TEST(Embedding, GathersRowsAndCarriesEachTokensChainOn) {
  const FlushingDenormals flushing;
  const std::vector<std::int32_t> ids = {3, 0, 3, 5, 3, 0, 1, 5};
  const TestMatrix table = filled(1, 6, 37), dy = filled(2, 8, 37), before = filled(3, 6, 37);
  TestMatrix gathered(8, 37), from_zero(6, 37), carried = before;
  for (std::int64_t c = 0; c < 37; ++c) {
    for (std::int64_t row = 0; row < 6; ++row) from_zero.at(row, c) = 0.0f;
    for (std::int64_t t = 0; t < 8; ++t) {
      gathered.at(t, c) = table.at(ids[t], c);
      from_zero.at(ids[t], c) += dy.at(t, c);
      carried.at(ids[t], c) += dy.at(t, c);
    }
  }

  OneWorker one;
  TestMatrix y(8, 37);
  embedding_forward(one, ids, table.view(), y.view());
  EXPECT_TRUE(same_bits_in(y.values, gathered.values));
  on_every_path([&](Workers& workers) {
    std::vector<std::byte> workspace(embedding_workspace_bytes(8, 6));
    TestMatrix dtable(6, 37);
    embedding_backward(workers, ids, dy.view(), dtable.view(), Start::zero, workspace);
    EXPECT_TRUE(same_bits_in(dtable.values, from_zero.values));
    dtable = before;
    embedding_backward(workers, ids, dy.view(), dtable.view(), Start::output, workspace);
    EXPECT_TRUE(same_bits_in(dtable.values, carried.values));
  });
}

TEST(Embedding, RefusesATokenOutsideTheTable) {
  OneWorker one;
  const std::vector<std::int32_t> ids = {1, 6};
  const TestMatrix table = filled(1, 6, 4);
  TestMatrix y(2, 4);
  EXPECT_THROW(embedding_forward(one, ids, table.view(), y.view()), InternalError);
}

}   // namespace
}   // namespace lastro::kernels
