#pragma once

#include "attention_cpu.h"
#include "attention_forward_cpu.h"

namespace lastro::kernels {
namespace {

constexpr std::int64_t query_block = 64;   // divides into key blocks; its size leaves no trace

// What one pair of blocks works on. Probabilities and their gradients are [query_block][key_block].
struct BlockPair {
  std::int64_t first_key, keys, first_query, queries;
  float transposed_keys[most_head_dim * key_block], transposed_values[most_head_dim * key_block];
  float keys_by_row[key_block * most_head_dim];
  float q[query_block * most_head_dim], dout[query_block * most_head_dim];
  float dk[key_block * most_head_dim], dv[key_block * most_head_dim];
  float p[query_block * key_block], ds[query_block * key_block];
};

KERNEL_FN HeadRows<const float> rows_from(HeadRows<const float> rows, std::int64_t first, std::int64_t column) {
  return {rows.data + first * rows.stride + column, rows.stride};
}

// delta = dout . out of each query row (Dao et al. 2022, eq. 4): a row sum of products.
void deltas_of(const BackwardJob& job) {
  for (std::int64_t g = 0; g < job.group; ++g)
    for (std::int64_t query = 0; query < job.queries; ++query) {
      const float* const out = rows_from(job.out, query, g * job.head_dim).data;
      const float* const dout = rows_from(job.dout, query, g * job.head_dim).data;
      SixteenLanes sums;
      each_of_sixteen(
          job.head_dim, sums, [&](Floats sum, auto at) __attribute__((always_inline)) { return fma(at(dout), at(out), sum); });
      job.deltas[g * job.queries + query] = sums.tree();
    }
}

// p = exp(score - logsumexp), ds = p (dout . v - delta) for `rows` queries from `row` of the block. Masked places hold what nobody reads.
template <int rows>
KERNEL_FN void probabilities(const BackwardJob& job, std::int64_t g, BlockPair& pair, std::int64_t row) {
  const std::int64_t last_key = pair.first_query + row + rows - 1 - pair.first_key;
  const std::int64_t seen = least(pair.keys, last_key + 1);
  float* const p = pair.p + row * key_block;
  float* const ds = pair.ds + row * key_block;
  for (std::int64_t key = 0; key < seen; key += tile_columns) {
    chain_tile<rows>(job.head_dim, {pair.q + row * job.row_stride, job.row_stride, 1}, pair.transposed_keys + key, key_block, p + key, key_block,
                     false);
    chain_tile<rows>(job.head_dim, {pair.dout + row * job.row_stride, job.row_stride, 1}, pair.transposed_values + key, key_block, ds + key,
                     key_block, false);
  }
  const std::int64_t statistics = g * job.queries + pair.first_query + row;
  for (int i = 0; i < rows; ++i) {
    const Floats logsumexp = splat(job.logsumexp[statistics + i]), delta = splat(job.deltas[statistics + i]);
    for (std::int64_t key = 0; key < seen; key += lanes) {
      const Floats probability = exp_of(load(p + i * key_block + key) - logsumexp);
      store(p + i * key_block + key, probability);
      store(ds + i * key_block + key, probability * (load(ds + i * key_block + key) - delta));
    }
  }
}

// sums [keys] carried on over the block's queries: sum(key) += weights(query, key) * rows(query), for `rows` keys from `key`. A key begins
// at its own query; the chains of a tile meet at the first query that sees all its keys.
template <int rows>
KERNEL_FN void over_queries(const BlockPair& pair, std::int64_t width, std::int64_t key, const float* weights, const float* by_query, float* sums) {
  const auto first_row = [&](std::int64_t of_key) __attribute__((always_inline)) {
    const std::int64_t row = pair.first_key + of_key - pair.first_query;
    return row < 0 ? 0 : least(row, pair.queries);
  };
  const std::int64_t together = first_row(key + rows - 1);
  for (std::int64_t d = 0; d < width; d += tile_columns)
    stair_tile<rows>(
        {first_row(key), together, pair.queries, pair.queries}, {weights + key, 1, key_block}, by_query + d, width, sums + key * width + d,
        width, [&](int i, std::int64_t query) __attribute__((always_inline)) { return query >= first_row(key + i); });
}

// dq of `rows` queries from `row` carried on over the block's keys, each up to its own.
template <int rows>
KERNEL_FN void over_keys(const BlockPair& pair, std::int64_t width, std::int64_t row, float* dq_sums) {
  const auto seen = [&](int i) __attribute__((always_inline)) { return least(pair.keys, pair.first_query + row + i - pair.first_key + 1); };
  const std::int64_t common = seen(0);
  const float* const ds = pair.ds + row * key_block;
  for (std::int64_t d = 0; d < width; d += tile_columns)
    stair_tile<rows>(
        {0, 0, common, seen(rows - 1)}, {ds, key_block, 1}, pair.keys_by_row + d, width, dq_sums + row * width + d,
        width, [&](int i, std::int64_t key) __attribute__((always_inline)) { return key < seen(i); });
}

void through_pair(const BackwardJob& job, std::int64_t g, BlockPair& pair) {
  const std::int64_t width = job.row_stride;
  copy_rows(rows_from(job.q, pair.first_query, g * job.head_dim), pair.queries, job.head_dim, job.scale, width, pair.q);
  copy_rows(rows_from(job.dout, pair.first_query, g * job.head_dim), pair.queries, job.head_dim, 1.0f, width, pair.dout);
  for (std::int64_t row = 0; row < pair.queries; row += tile_rows)
    with_rows<tile_rows>(
        pair.queries - row, [&](auto rows) __attribute__((always_inline)) { probabilities<rows.value>(job, g, pair, row); });
  for (std::int64_t key = 0; key < pair.keys; key += tile_rows)
    with_rows<tile_rows>(
        pair.keys - key, [&](auto rows) __attribute__((always_inline)) {
          over_queries<rows.value>(pair, width, key, pair.p, pair.dout, pair.dv);
          over_queries<rows.value>(pair, width, key, pair.ds, pair.q, pair.dk);
        });
  float* const dq_sums = job.dq_sums + (g * job.queries + pair.first_query) * width;
  for (std::int64_t row = 0; row < pair.queries; row += tile_rows)
    with_rows<tile_rows>(
        pair.queries - row, [&](auto rows) __attribute__((always_inline)) { over_keys<rows.value>(pair, width, row, dq_sums); });
}

KERNEL_FN void put_rows(const float* from, std::int64_t count, std::int64_t width, std::int64_t head_dim, float factor, HeadRows<float> to) {
  for (std::int64_t row = 0; row < count; ++row)
    each(
        head_dim, [&](auto at, auto put) __attribute__((always_inline)) { put(to.data + row * to.stride, at(from + row * width) * splat(factor)); });
}

void attend_backward(const BackwardJob& job) {
  count_piece();
  const std::int64_t width = job.row_stride;
  BlockPair pair;
  deltas_of(job);
  for (std::int64_t i = 0; i < job.group * job.queries * width; i += lanes) store(job.dq_sums + i, splat(0.0f));
  for (pair.first_key = 0; pair.first_key < job.queries; pair.first_key += key_block) {
    pair.keys = least(key_block, job.queries - pair.first_key);
    transpose_block(rows_from(job.k, pair.first_key, 0), pair.keys, job.head_dim, pair.transposed_keys);
    transpose_block(rows_from(job.v, pair.first_key, 0), pair.keys, job.head_dim, pair.transposed_values);
    copy_rows(rows_from(job.k, pair.first_key, 0), pair.keys, job.head_dim, 1.0f, width, pair.keys_by_row);
    for (std::int64_t i = 0; i < key_block * width; i += lanes) {
      store(pair.dk + i, splat(0.0f));
      store(pair.dv + i, splat(0.0f));
    }
    for (std::int64_t g = 0; g < job.group; ++g)
      for (pair.first_query = pair.first_key; pair.first_query < job.queries; pair.first_query += query_block) {
        pair.queries = least(query_block, job.queries - pair.first_query);
        through_pair(job, g, pair);
      }
    put_rows(pair.dk, pair.keys, width, job.head_dim, 1.0f, {job.dk.data + pair.first_key * job.dk.stride, job.dk.stride});
    put_rows(pair.dv, pair.keys, width, job.head_dim, 1.0f, {job.dv.data + pair.first_key * job.dv.stride, job.dv.stride});
  }
  for (std::int64_t g = 0; g < job.group; ++g)
    put_rows(job.dq_sums + g * job.queries * width, job.queries, width, job.head_dim, job.scale, {job.dq.data + g * job.head_dim, job.dq.stride});
}

}   // namespace
}   // namespace lastro::kernels
