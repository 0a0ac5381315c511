#include "kernels/head.h"

#include <algorithm>
#include <cmath>

#include "domain/errors.h"
#include "element/exp_log.h"
#include "kernels/reduce.h"
#include "support.h"

namespace lastro::kernels {
namespace {

struct Case {
  std::int64_t tokens, width, vocabulary, padded;
  std::vector<std::int32_t> targets;
};

Case case_of(std::int64_t tokens, std::int64_t width, std::int64_t vocabulary, std::int64_t padded, bool masked) {
  Case made{tokens, width, vocabulary, padded, {}};
  for (std::int64_t t = 0; t < tokens; ++t)
    made.targets.push_back(masked && t % 3 == 1 ? -1 : static_cast<std::int32_t>(random_u64(9, Purpose::test, t) % vocabulary));
  return made;
}
const Case cases[] = {case_of(5, 8, 7, 7, false), case_of(11, 20, 37, 48, true), case_of(9, 33, 129, 130, true), case_of(1, 16, 16, 16, false)};

// Weights of rows that are padding are NaN: nothing may read them.
struct HeadInputs {
  explicit HeadInputs(const Case& c)
      : x(filled(1, c.tokens, c.width)),
        weight(filled(2, c.padded, c.width)),
        dlog_probs(test_numbers(3, c.tokens)),
        before(filled(4, c.padded, c.width)) {
    for (std::int64_t row = c.vocabulary; row < c.padded; ++row)
      for (std::int64_t i = 0; i < c.width; ++i) weight.at(row, i) = NAN;
    for (std::int64_t t = 0; t < c.tokens; ++t)
      if (c.targets[t] < 0)
        for (std::int64_t i = 0; i < c.width; ++i) x.at(t, i) = NAN;   // masked rows may hold anything
  }
  TestMatrix x, weight;
  std::vector<float> dlog_probs;
  TestMatrix before;
};

struct Gradients {
  std::vector<float> log_probs;
  TestMatrix dx, dweight;
};

// dweight begins at `begin`.
Gradients by_the_book(const Case& c, const HeadInputs& in, const TestMatrix& begin) {
  Gradients made{std::vector<float>(c.tokens, 0.0f), TestMatrix(c.tokens, c.width), begin};
  for (std::int64_t t = 0; t < c.tokens; ++t) {
    for (std::int64_t i = 0; i < c.width; ++i) made.dx.at(t, i) = 0.0f;
    if (c.targets[t] < 0) continue;
    std::vector<float> logits(c.vocabulary), e(c.vocabulary);
    for (std::int64_t w = 0; w < c.vocabulary; ++w)
      for (std::int64_t i = 0; i < c.width; ++i) logits[w] = std::fma(in.x.at(t, i), in.weight.at(w, i), logits[w]);
    const float most = *std::max_element(logits.begin(), logits.end());
    for (std::int64_t w = 0; w < c.vocabulary; ++w) e[w] = exp_of(logits[w] - most);
    const float logsumexp = most + log_of(row_sum(e));
    made.log_probs[t] = logits[c.targets[t]] - logsumexp;
    for (std::int64_t w = 0; w < c.vocabulary; ++w) {
      const float p = exp_of(logits[w] - logsumexp);
      const float d = w == c.targets[t] ? in.dlog_probs[t] * (1.0f - p) : -in.dlog_probs[t] * p;
      for (std::int64_t i = 0; i < c.width; ++i) {
        made.dx.at(t, i) = std::fma(d, in.weight.at(w, i), made.dx.at(t, i));
        made.dweight.at(w, i) = std::fma(d, in.x.at(t, i), made.dweight.at(w, i));
      }
    }
  }
  return made;
}

TestMatrix zeros(std::int64_t rows, std::int64_t columns) {
  TestMatrix matrix(rows, columns);
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < columns; ++c) matrix.at(r, c) = 0.0f;
  return matrix;
}

class HeadOn : public ::testing::TestWithParam<Case> {};

TEST_P(HeadOn, GoesByTheBookInChunksOfAnySize) {
  const FlushingDenormals flushing;
  const Case& c = GetParam();
  const HeadInputs in(c);
  const Gradients wanted = by_the_book(c, in, zeros(c.padded, c.width));
  const Gradients carried = by_the_book(c, in, in.before);

  on_every_path([&](Workers& workers) {
    for (const std::int64_t chunk : {std::int64_t{1}, std::int64_t{4}, c.tokens}) {
      const HeadShape shape{c.tokens, c.width, c.vocabulary, chunk};
      std::vector<std::byte> workspace(head_workspace_bytes(shape, workers.size()));
      std::vector<float> log_probs(c.tokens, NAN);
      TestMatrix dx(c.tokens, c.width), dweight(c.padded, c.width);
      head_log_probs(workers, shape, in.x.view(), in.weight.view(), c.targets, log_probs, workspace);
      EXPECT_TRUE(same_bits_in(log_probs, wanted.log_probs));
      log_probs.assign(c.tokens, NAN);
      head_forward_backward(workers, shape, in.x.view(), in.weight.view(), c.targets, in.dlog_probs, log_probs, dx.view(), dweight.view(),
                            Start::zero, workspace);
      EXPECT_TRUE(same_bits_in(log_probs, wanted.log_probs));
      EXPECT_TRUE(same_bits_in(dx.values, wanted.dx.values));
      EXPECT_TRUE(same_bits_in(dweight.values, wanted.dweight.values));
      dweight = in.before;
      head_forward_backward(workers, shape, in.x.view(), in.weight.view(), c.targets, in.dlog_probs, log_probs, dx.view(), dweight.view(),
                            Start::output, workspace);
      EXPECT_TRUE(same_bits_in(dweight.values, carried.dweight.values));
    }
  });
}
INSTANTIATE_TEST_SUITE_P(Cases, HeadOn, ::testing::ValuesIn(cases), [](const auto& info) {
  return std::to_string(info.param.tokens) + "x" + std::to_string(info.param.width) + "x" + std::to_string(info.param.vocabulary);
});

TEST(Head, LogitsForSamplingHaveTheBitsOfTraining) {
  const Case c = case_of(6, 24, 50, 64, false);
  const HeadInputs in(c);
  on_every_path([&](Workers& workers) {
    const HeadShape shape{c.tokens, c.width, c.vocabulary, 4};
    std::vector<std::byte> workspace(head_workspace_bytes(shape, workers.size()));
    std::vector<float> log_probs(c.tokens);
    head_log_probs(workers, shape, in.x.view(), in.weight.view(), c.targets, log_probs, workspace);
    for (std::int64_t t = 0; t < c.tokens; ++t) {
      TestMatrix row(1, c.vocabulary);
      head_logits(workers, in.x.view().rows_from(t, 1), in.weight.view(), row.view(), workspace);
      log_softmax(workers, row.view());
      EXPECT_EQ(row.at(0, c.targets[t]), log_probs[t]);
    }
  });
}

TEST(Head, AllRowsMaskedGivesZeros) {
  Case c = case_of(3, 8, 5, 6, false);
  c.targets = {-1, -1, -1};
  const HeadInputs in(c);
  OneWorker workers;
  const HeadShape shape{c.tokens, c.width, c.vocabulary, 2};
  std::vector<std::byte> workspace(head_workspace_bytes(shape, 1));
  std::vector<float> log_probs(3, NAN);
  TestMatrix dx(3, 8), dweight(6, 8);
  head_forward_backward(workers, shape, in.x.view(), in.weight.view(), c.targets, in.dlog_probs, log_probs, dx.view(), dweight.view(), Start::zero,
                        workspace);
  EXPECT_TRUE(same_bits_in(log_probs, {0.0f, 0.0f, 0.0f}));
  EXPECT_TRUE(same_bits_in(dx.values, zeros(3, 8).values));
  EXPECT_TRUE(same_bits_in(dweight.values, zeros(6, 8).values));
}

TEST(Head, RefusesATargetInThePadding) {
  Case c = case_of(2, 8, 5, 6, false);
  c.targets = {0, 5};
  const HeadInputs in(c);
  OneWorker workers;
  const HeadShape shape{c.tokens, c.width, c.vocabulary, 2};
  std::vector<std::byte> workspace(head_workspace_bytes(shape, 1));
  std::vector<float> log_probs(2);
  EXPECT_THROW(head_log_probs(workers, shape, in.x.view(), in.weight.view(), c.targets, log_probs, workspace), InternalError);
}

}   // namespace
}   // namespace lastro::kernels
