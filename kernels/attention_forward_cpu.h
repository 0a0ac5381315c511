#pragma once

#include "attention_cpu.h"
#include "cpu/tile.h"

namespace lastro::kernels {
namespace {

alignas(64) constexpr float counting[key_block] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                                   22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
                                                   44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};

// to [head_dim][64] = transposed rows of up to 64 keys; missing keys are 0.
KERNEL_FN void transpose_block(HeadRows<const float> rows, std::int64_t count, std::int64_t head_dim, float* to) {
  transpose(rows.data, rows.stride, count, head_dim, to, key_block);
  for (std::int64_t d = 0; count < key_block && d < head_dim; ++d)
    for (std::int64_t key = count; key < key_block; ++key) to[d * key_block + key] = 0.0f;
}

// to [count][row_stride] = rows * factor, padded with 0.
KERNEL_FN void copy_rows(HeadRows<const float> rows, std::int64_t count, std::int64_t head_dim, float factor, std::int64_t row_stride, float* to) {
  for (std::int64_t row = 0; row < count; ++row) {
    std::int64_t d = 0;
    for (; d + lanes <= head_dim; d += lanes) store(to + row * row_stride + d, load(rows.data + row * rows.stride + d) * splat(factor));
    for (; d < head_dim; ++d) to[row * row_stride + d] = rows.data[row * rows.stride + d] * factor;
    for (; d < row_stride; ++d) to[row * row_stride + d] = 0.0f;
  }
}

void pack_block(const PackJob& job, std::int64_t block) {
  count_piece();
  const std::int64_t first = block * key_block;
  const std::int64_t count = least(key_block, job.count - first);
  transpose_block({job.keys.data + first * job.keys.stride, job.keys.stride}, count, job.head_dim,
                  job.packed_keys + block * job.head_dim * key_block);
  float* const values = job.packed_values + block * key_block * job.value_stride;
  for (std::int64_t row = 0; row < count; ++row)
    for (std::int64_t d = 0; d < job.value_stride; ++d)
      values[row * job.value_stride + d] = d < job.head_dim ? job.values.data[(first + row) * job.values.stride + d] : 0.0f;
}

KERNEL_FN float exp_of_one(float x) {
  float result[lanes];
  store(result, exp_of(splat(x)));
  return result[0];
}
KERNEL_FN float log_of_one(float x) {
  float result[lanes];
  store(result, log_of(splat(x)));
  return result[0];
}

// The running softmax of a query row.
struct RunningRow {
  float most = -__builtin_inff();
  float sum = 0.0f;
};

KERNEL_FN float most_of(const float* scores, std::int64_t count) {
  Floats most = splat(-__builtin_inff());
  for (std::int64_t i = 0; i < count; i += lanes) {
    Floats score = load(scores + i);
    score = load(counting + i) < splat(static_cast<float>(count)) ? score : splat(-__builtin_inff());
    most = most > score ? most : score;
  }
  float each[lanes];
  store(each, most);
  float all = each[0];
  for (int lane = 1; lane < lanes; ++lane) all = all > each[lane] ? all : each[lane];
  return all;
}

// Takes `count` more scores in: they become exp(score - most), values [width] are rescaled when the maximum grew.
KERNEL_FN void take_scores(float* scores, std::int64_t count, RunningRow& row, float* values, std::int64_t width) {
  const float block_most = most_of(scores, count);
  const float most = row.most > block_most ? row.most : block_most;
  const float shrink = row.most == -__builtin_inff() ? 0.0f : exp_of_one(row.most - most);
  SixteenLanes sums;
  int part = 0;
  for (std::int64_t i = 0; i < count; i += lanes) {
    Floats e = exp_of(load(scores + i) - splat(most));
    e = load(counting + i) < splat(static_cast<float>(count)) ? e : splat(0.0f);
    store(scores + i, e);
    sums.part[part] = sums.part[part] + e;
    part = (part + 1) % SixteenLanes::registers;
  }
  row.sum = fma(row.sum, shrink, sums.tree());
  row.most = most;
  if (shrink != 1.0f)
    for (std::int64_t d = 0; d < width; d += lanes) store(values + d, load(values + d) * splat(shrink));
}

template <int rows>
KERNEL_FN void attend_tile(const ForwardJob& job, std::int64_t first_query) {
  const std::int64_t width = job.value_stride;
  float q[rows * most_head_dim], values[rows * most_head_dim], scores[rows * key_block];
  RunningRow running[rows];
  copy_rows({job.q.data + first_query * job.q.stride, job.q.stride}, rows, job.head_dim, job.scale, job.head_dim, q);
  for (std::int64_t i = 0; i < rows * width; i += lanes) store(values + i, splat(0.0f));

  const std::int64_t position = job.first_position + first_query;
  for (std::int64_t first_key = 0; first_key < position + rows; first_key += key_block) {
    const auto visible = [=](int row) __attribute__((always_inline)) { return least(key_block, position + row - first_key + 1); };
    const float* const keys = job.packed_keys + first_key * job.head_dim;
    const float* const block_values = job.packed_values + first_key * width;
    for (std::int64_t key = 0; key < visible(rows - 1); key += tile_columns)
      chain_tile<rows>(job.head_dim, {q, job.head_dim, 1}, keys + key, key_block, scores + key, key_block, false);
    for (int i = 0; i < rows; ++i)
      if (visible(i) > 0) take_scores(scores + i * key_block, visible(i), running[i], values + i * width, width);

    // Keys that all rows see, then what the later rows see more: each row's chain ascends, and no row meets a key behind its mask.
    const std::int64_t common = visible(0) > 0 ? visible(0) : 0;
    for (std::int64_t d = 0; d < width; d += tile_columns)
      stair_tile<rows>(
          {0, 0, common, visible(rows - 1)}, {scores, key_block, 1}, block_values + d, width, values + d,
          width, [&](int i, std::int64_t key) __attribute__((always_inline)) { return key < visible(i); });
  }

  for (int i = 0; i < rows; ++i) {
    const float share = 1.0f / running[i].sum;
    float* const out = job.out.data + (first_query + i) * job.out.stride;
    each(
        job.head_dim, [&](auto at, auto put) __attribute__((always_inline)) { put(out, at(values + i * width) * splat(share)); });
    if (job.logsumexp) job.logsumexp[first_query + i] = running[i].most + log_of_one(running[i].sum);
  }
}

void attend(const ForwardJob& job) {
  count_piece();
  for (std::int64_t query = job.begin; query < job.end; query += tile_rows)
    with_rows<tile_rows>(
        job.end - query, [&](auto rows) __attribute__((always_inline)) { attend_tile<rows.value>(job, query); });
}

}   // namespace
}   // namespace lastro::kernels
