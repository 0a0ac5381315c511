#include "kernels/attention.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "element/exp_log.h"
#include "kernels/reduce.h"
#include "support.h"

namespace lastro::kernels {
namespace {

// The rules, one row and one number at a time.
struct ByTheBook {
  AttentionShape shape;
  const TestMatrix& q;
  const TestMatrix& k;
  const TestMatrix& v;

  std::int64_t group() const { return shape.heads / shape.kv_heads; }
  float score(std::int64_t sequence, int head, std::int64_t query, std::int64_t key) const {
    float sum = 0;
    for (int d = 0; d < shape.head_dim; ++d)
      sum = std::fma(q.at(sequence * shape.queries + query, head * shape.head_dim + d) * shape.scale,
                     k.at(sequence * shape.key_capacity + key, head / group() * shape.head_dim + d), sum);
    return sum;
  }

  void row(std::int64_t sequence, int head, std::int64_t query, TestMatrix& out, float& logsumexp) const {
    const std::int64_t keys = shape.first_position + query + 1;
    float most = -INFINITY, sum = 0;
    std::vector<float> values(shape.head_dim, 0.0f);
    for (std::int64_t first = 0; first < keys; first += 64) {
      std::vector<float> p;
      for (std::int64_t key = first; key < std::min(keys, first + 64); ++key) p.push_back(score(sequence, head, query, key));
      float block_most = most;
      for (const float s : p) block_most = std::max(block_most, s);
      const float shrink = first == 0 ? 0.0f : exp_of(most - block_most);
      most = block_most;
      for (float& s : p) s = exp_of(s - most);
      sum = std::fma(sum, shrink, row_sum(p));
      for (int d = 0; d < shape.head_dim; ++d) {
        values[d] *= shrink;
        for (std::size_t i = 0; i < p.size(); ++i)
          values[d] = std::fma(p[i], v.at(sequence * shape.key_capacity + first + i, head / group() * shape.head_dim + d), values[d]);
      }
    }
    for (int d = 0; d < shape.head_dim; ++d) out.at(sequence * shape.queries + query, head * shape.head_dim + d) = values[d] * (1.0f / sum);
    logsumexp = most + log_of(sum);
  }

  std::vector<float> forward(TestMatrix& out) const {
    std::vector<float> logsumexp(shape.sequences * shape.heads * shape.queries);
    for (std::int64_t s = 0; s < shape.sequences; ++s)
      for (int h = 0; h < shape.heads; ++h)
        for (std::int64_t i = 0; i < shape.queries; ++i) row(s, h, i, out, logsumexp[(s * shape.heads + h) * shape.queries + i]);
    return logsumexp;
  }

  void backward(const TestMatrix& out, const std::vector<float>& logsumexp, const TestMatrix& dout, TestMatrix& dq, TestMatrix& dk,
                TestMatrix& dv) const {
    const int D = shape.head_dim;
    for (TestMatrix* gradient : {&dq, &dk, &dv})
      for (std::int64_t r = 0; r < gradient->rows; ++r)
        for (std::int64_t c = 0; c < gradient->columns; ++c) gradient->at(r, c) = 0;
    for (std::int64_t s = 0; s < shape.sequences; ++s)
      for (int h = 0; h < shape.heads; ++h)
        for (std::int64_t i = 0; i < shape.queries; ++i) {
          const std::int64_t row = s * shape.queries + i;
          const int column = h * D, kv_column = h / static_cast<int>(group()) * D;
          float lanes[16] = {};
          for (int d = 0; d < D; ++d) lanes[d % 16] = std::fma(dout.at(row, column + d), out.at(row, column + d), lanes[d % 16]);
          const float delta = row_sum(lanes);
          for (std::int64_t j = 0; j <= i; ++j) {
            const std::int64_t key_row = s * shape.queries + j;
            const float p = exp_of(score(s, h, i, j) - logsumexp[(s * shape.heads + h) * shape.queries + i]);
            float dp = 0;
            for (int d = 0; d < D; ++d) dp = std::fma(dout.at(row, column + d), v.at(key_row, kv_column + d), dp);
            const float ds = p * (dp - delta);
            for (int d = 0; d < D; ++d) {
              dv.at(key_row, kv_column + d) = std::fma(p, dout.at(row, column + d), dv.at(key_row, kv_column + d));
              dk.at(key_row, kv_column + d) = std::fma(ds, q.at(row, column + d) * shape.scale, dk.at(key_row, kv_column + d));
              dq.at(row, column + d) = std::fma(ds, k.at(key_row, kv_column + d), dq.at(row, column + d));
            }
          }
          for (int d = 0; d < D; ++d) dq.at(row, column + d) *= shape.scale;
        }
  }
};

AttentionShape shape_of(std::int64_t sequences, std::int64_t queries, int heads, int kv_heads, int head_dim) {
  return {sequences, queries, 0, queries, heads, kv_heads, head_dim, 1.0f / std::sqrt(static_cast<float>(head_dim))};
}
// Around the key block of 64, the tiles of 4, 6 and 12 rows, and registers of 8 and 16; groups of 1, 2 and all heads.
const AttentionShape training_shapes[] = {shape_of(1, 1, 1, 1, 8),   shape_of(2, 7, 2, 1, 16),   shape_of(1, 65, 2, 2, 24),
                                          shape_of(2, 70, 4, 2, 40), shape_of(1, 133, 3, 1, 64), shape_of(1, 66, 1, 1, 128)};

struct Inputs {
  explicit Inputs(const AttentionShape& shape)
      : q(filled(1, shape.sequences * shape.queries, shape.heads * shape.head_dim)),
        k(filled(2, shape.sequences * shape.key_capacity, shape.kv_heads * shape.head_dim)),
        v(filled(3, shape.sequences * shape.key_capacity, shape.kv_heads * shape.head_dim)) {}
  TestMatrix q, k, v;
};

std::string name_of_shape(const ::testing::TestParamInfo<AttentionShape>& info) {
  const AttentionShape& s = info.param;
  return std::to_string(s.sequences) + "x" + std::to_string(s.queries) + "_heads" + std::to_string(s.heads) + "of" + std::to_string(s.kv_heads) +
         "_dim" + std::to_string(s.head_dim);
}

struct Forward {
  TestMatrix out;
  std::vector<float> logsumexp;
};
Forward run_forward(Workers& workers, const AttentionShape& shape, const Inputs& in) {
  Forward made{TestMatrix(in.q.rows, in.q.columns), std::vector<float>(shape.sequences * shape.heads * shape.queries)};
  std::vector<std::byte> workspace(attention_forward_workspace_bytes(shape, workers.size()));
  attention_forward(workers, shape, in.q.view(), in.k.view(), in.v.view(), made.out.view(), made.logsumexp.data(), workspace);
  return made;
}

class AttentionOn : public ::testing::TestWithParam<AttentionShape> {};

TEST_P(AttentionOn, ForwardGoesByTheBook) {
  const FlushingDenormals flushing;
  const Inputs in(GetParam());
  TestMatrix out(in.q.rows, in.q.columns);
  const std::vector<float> logsumexp = ByTheBook{GetParam(), in.q, in.k, in.v}.forward(out);

  on_every_path([&](Workers& workers) {
    const Forward made = run_forward(workers, GetParam(), in);
    EXPECT_TRUE(same_bits_in(made.out.values, out.values));
    EXPECT_TRUE(same_bits_in(made.logsumexp, logsumexp));
  });
}

TEST_P(AttentionOn, BackwardGoesByTheBook) {
  const FlushingDenormals flushing;
  const AttentionShape& shape = GetParam();
  const Inputs in(shape);
  const ByTheBook book{shape, in.q, in.k, in.v};
  const TestMatrix dout = filled(4, in.q.rows, in.q.columns);
  TestMatrix out(in.q.rows, in.q.columns), dq(in.q.rows, in.q.columns), dk(in.k.rows, in.k.columns), dv(in.v.rows, in.v.columns);
  const std::vector<float> logsumexp = book.forward(out);
  book.backward(out, logsumexp, dout, dq, dk, dv);

  on_every_path([&](Workers& workers) {
    TestMatrix found_dq(dq.rows, dq.columns), found_dk(dk.rows, dk.columns), found_dv(dv.rows, dv.columns);
    std::vector<std::byte> workspace(attention_backward_workspace_bytes(shape, workers.size()));
    attention_backward(workers, shape, in.q.view(), in.k.view(), in.v.view(), std::as_const(out).view(), logsumexp.data(), dout.view(),
                       found_dq.view(), found_dk.view(), found_dv.view(), workspace);
    EXPECT_TRUE(same_bits_in(found_dq.values, dq.values));
    EXPECT_TRUE(same_bits_in(found_dk.values, dk.values));
    EXPECT_TRUE(same_bits_in(found_dv.values, dv.values));
  });
}

TEST_P(AttentionOn, ARowWithACacheHasTheBitsOfTraining) {
  const FlushingDenormals flushing;
  const AttentionShape& shape = GetParam();
  const Inputs in(shape);

  on_every_path([&](Workers& workers) {
    const Forward whole = run_forward(workers, shape, in);
    for (const std::int64_t position : {std::int64_t{0}, shape.queries / 2, shape.queries - 1}) {
      // One sequence's row alone, its keys in a longer cache whose rest is NaN.
      AttentionShape alone = shape;
      alone.sequences = 1;
      alone.queries = 1;
      alone.first_position = position;
      alone.key_capacity = shape.queries + 5;
      Inputs row(alone);
      for (auto* cache : {&row.k, &row.v}) std::fill(cache->values.begin(), cache->values.end(), NAN);
      const std::int64_t first = (shape.sequences - 1) * shape.queries;
      for (std::int64_t c = 0; c < row.q.columns; ++c) row.q.at(0, c) = in.q.at(first + position, c);
      for (std::int64_t key = 0; key <= position; ++key)
        for (std::int64_t c = 0; c < row.k.columns; ++c) {
          row.k.at(key, c) = in.k.at(first + key, c);
          row.v.at(key, c) = in.v.at(first + key, c);
        }

      const Forward made = run_forward(workers, alone, row);

      for (std::int64_t c = 0; c < row.q.columns; ++c)
        ASSERT_EQ(std::bit_cast<std::uint32_t>(made.out.at(0, c)), std::bit_cast<std::uint32_t>(whole.out.at(first + position, c)));
      for (int h = 0; h < shape.heads; ++h)
        ASSERT_EQ(made.logsumexp[h], whole.logsumexp[((shape.sequences - 1) * shape.heads + h) * shape.queries + position]);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Shapes, AttentionOn, ::testing::ValuesIn(training_shapes), name_of_shape);

TEST(Attention, LooksAtNothingBehindTheMask) {
  const AttentionShape shape = shape_of(1, 80, 2, 1, 16);
  const Inputs clean(shape);
  Inputs spoilt = clean;
  for (std::int64_t row = 70; row < 80; ++row)
    for (std::int64_t c = 0; c < spoilt.k.columns; ++c) {
      spoilt.k.at(row, c) = c % 2 ? NAN : INFINITY;
      spoilt.v.at(row, c) = c % 2 ? -INFINITY : NAN;
    }
  TestMatrix dout = filled(4, clean.q.rows, clean.q.columns);

  on_every_path([&](Workers& workers) {
    const Forward wanted = run_forward(workers, shape, clean);
    const Forward found = run_forward(workers, shape, spoilt);
    for (std::int64_t row = 0; row < 70; ++row)
      for (std::int64_t c = 0; c < clean.q.columns; ++c) ASSERT_EQ(found.out.at(row, c), wanted.out.at(row, c)) << row << ", " << c;

    // Backward: queries 70.. hold NaN, so keys 0..69 are reached by them; but dq of the queries before must be clean.
    TestMatrix dq(clean.q.rows, clean.q.columns), dk(clean.k.rows, clean.k.columns), dv(clean.v.rows, clean.v.columns);
    TestMatrix clean_dq = dq;
    std::vector<std::byte> workspace(attention_backward_workspace_bytes(shape, workers.size()));
    attention_backward(workers, shape, clean.q.view(), clean.k.view(), clean.v.view(), wanted.out.view(), wanted.logsumexp.data(), dout.view(),
                       clean_dq.view(), dk.view(), dv.view(), workspace);
    attention_backward(workers, shape, spoilt.q.view(), spoilt.k.view(), spoilt.v.view(), found.out.view(), found.logsumexp.data(), dout.view(),
                       dq.view(), dk.view(), dv.view(), workspace);
    for (std::int64_t row = 0; row < 70; ++row)
      for (std::int64_t c = 0; c < clean.q.columns; ++c) ASSERT_EQ(dq.at(row, c), clean_dq.at(row, c)) << row << ", " << c;
  });
}

TEST(Attention, KeysAreNotReachedByEarlierQueries) {
  const AttentionShape shape = shape_of(1, 75, 1, 1, 8);
  const Inputs in(shape);
  const TestMatrix dout = filled(4, in.q.rows, in.q.columns);

  on_every_path([&](Workers& workers) {
    const Forward forward = run_forward(workers, shape, in);
    TestMatrix spoilt = dout;
    for (std::int64_t c = 0; c < spoilt.columns; ++c) spoilt.at(20, c) = NAN;   // query 20 sees keys 0..20
    TestMatrix dq(in.q.rows, in.q.columns), dk(in.k.rows, in.k.columns), dv(in.v.rows, in.v.columns);
    std::vector<std::byte> workspace(attention_backward_workspace_bytes(shape, workers.size()));
    attention_backward(workers, shape, in.q.view(), in.k.view(), in.v.view(), forward.out.view(), forward.logsumexp.data(), spoilt.view(), dq.view(),
                       dk.view(), dv.view(), workspace);
    for (std::int64_t key = 0; key < 75; ++key)
      for (std::int64_t c = 0; c < dv.columns; ++c) {
        ASSERT_EQ(std::isnan(dv.at(key, c)), key <= 20) << key;
        ASSERT_EQ(std::isnan(dk.at(key, c)), key <= 20) << key;
      }
  });
}

TEST(Attention, RefusesAHeadDimThatIsNoMultipleOfEight) {
  OneWorker workers;
  const AttentionShape shape = shape_of(1, 4, 1, 1, 12);
  const Inputs in(shape);
  TestMatrix out(in.q.rows, in.q.columns);
  std::vector<std::byte> workspace(1 << 16);
  EXPECT_THROW(attention_forward(workers, shape, in.q.view(), in.k.view(), in.v.view(), out.view(), nullptr, workspace), std::exception);
}

}   // namespace
}   // namespace lastro::kernels
