#pragma once

#include <cstdint>

#include "cpu/table.h"

namespace lastro::kernels {

inline constexpr std::int64_t key_block = 64;   // part of the numerics rules: softmax and value chains are rescaled at its borders
inline constexpr std::int64_t most_head_dim = 128;

// Rows of one head: element (row, d) is data[row * stride + d].
template <class T>
struct HeadRows {
  T* data;
  std::int64_t stride;
};

// Keys of one sequence and key head, repacked by key blocks. keys [block][head_dim][64]: lanes run along keys. values
// [block][64][value_stride]: lanes run along the head dimension.
struct PackJob {
  HeadRows<const float> keys, values;
  std::int64_t count, head_dim, value_stride;
  float* packed_keys;
  float* packed_values;
};

// Query rows [begin, end) of one sequence and head.
struct ForwardJob {
  HeadRows<const float> q;
  HeadRows<float> out;
  const float* packed_keys;
  const float* packed_values;
  float* logsumexp;   // of row 0; may be null
  std::int64_t begin, end, first_position, head_dim, value_stride;
  float scale;
};

// All queries and keys of one sequence and key head; head g of its group lies at column offset g * head_dim of q, out, dout, dq.
struct BackwardJob {
  HeadRows<const float> q, k, v, out, dout;
  HeadRows<float> dq, dk, dv;
  const float* logsumexp;   // [group, queries]
  std::int64_t queries, group, head_dim, row_stride;
  float scale;
  float* dq_sums;   // [group, queries, row_stride]
  float* deltas;    // [group, queries]
};

struct AttentionEntries {
  std::int64_t tile_columns;
  void (*pack)(const PackJob& job, std::int64_t block);
  void (*forward)(const ForwardJob& job);
  void (*backward)(const BackwardJob& job);
};
template <>
const AttentionEntries OnPath<AttentionEntries, CpuPath::scalar>::entries;
template <>
const AttentionEntries OnPath<AttentionEntries, CpuPath::v3>::entries;
template <>
const AttentionEntries OnPath<AttentionEntries, CpuPath::v4>::entries;

}   // namespace lastro::kernels
