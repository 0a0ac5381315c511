#include "kernels/attention.h"

#include <algorithm>

#include "attention_cpu.h"
#include "cpu/check.h"
#include "cpu/split.h"

namespace lastro::kernels {
namespace {

constexpr std::int64_t most_tile_columns = 32;
constexpr std::int64_t queries_per_item = 48;   // a whole number of tiles on every path

std::int64_t blocks_of(std::int64_t keys) { return (keys + key_block - 1) / key_block; }
std::int64_t padded(std::int64_t head_dim, std::int64_t grain) { return (head_dim + grain - 1) / grain * grain; }
std::int64_t keys_of(const AttentionShape& shape) { return shape.first_position + shape.queries; }

void require_attention(const char* op, const AttentionShape& shape) {
  const bool heads_fit = shape.heads > 0 && shape.kv_heads > 0 && shape.heads % shape.kv_heads == 0;
  if (!heads_fit)
    refuse(op, "heads " + std::to_string(shape.heads) + ", kv_heads " + std::to_string(shape.kv_heads) + " (kv_heads must divide heads)");
  if (shape.head_dim < 8 || shape.head_dim > most_head_dim || shape.head_dim % 8)
    refuse(op, "head_dim " + std::to_string(shape.head_dim) + " (must be a multiple of 8, at most " + std::to_string(most_head_dim) + ")");
  if (shape.first_position < 0 || shape.key_capacity < keys_of(shape))
    refuse(op, "key_capacity " + std::to_string(shape.key_capacity) + " (must hold first_position + queries = " + std::to_string(keys_of(shape)) +
                   " keys)");
}

void require_matrices(const char* op, const AttentionShape& shape, ConstMatrix q, ConstMatrix k, ConstMatrix v, ConstMatrix out) {
  const std::int64_t query_rows = shape.sequences * shape.queries, key_rows = shape.sequences * shape.key_capacity;
  require_shape(op, "q", q, query_rows, shape.heads * shape.head_dim);
  require_shape(op, "k", k, key_rows, shape.kv_heads * shape.head_dim);
  require_shape(op, "v", v, key_rows, shape.kv_heads * shape.head_dim);
  require_shape(op, "out", out, query_rows, shape.heads * shape.head_dim);
}

// Keys and values of every sequence and key head, packed: [sequence, kv_head] of these many floats.
struct PackedSizes {
  std::int64_t keys, values;
};
PackedSizes packed_sizes(const AttentionShape& shape, std::int64_t value_stride) {
  const std::int64_t rows = blocks_of(keys_of(shape)) * key_block;
  return {rows * shape.head_dim, rows * value_stride};
}

}   // namespace

void attention_forward(Workers& workers, const AttentionShape& shape, ConstMatrix q, ConstMatrix k, ConstMatrix v, Matrix out, float* logsumexp,
                       Workspace workspace) {
  require_attention("attention_forward", shape);
  require_matrices("attention_forward", shape, q, k, v, out);
  require_workspace("attention_forward", workspace.size(), attention_forward_workspace_bytes(shape, workers.size()));
  const AttentionEntries& entries = entries_in_force<AttentionEntries>();
  const std::int64_t value_stride = padded(shape.head_dim, entries.tile_columns);
  const PackedSizes sizes = packed_sizes(shape, value_stride);
  Scratch scratch(workspace);
  float* const packed_keys = scratch.take<float>(shape.sequences * shape.kv_heads * sizes.keys);
  float* const packed_values = scratch.take<float>(shape.sequences * shape.kv_heads * sizes.values);

  const std::int64_t blocks = blocks_of(keys_of(shape));
  split(workers, shape.sequences * shape.kv_heads * blocks, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t item = begin; item < end; ++item) {
      const std::int64_t pair = item / blocks, sequence = pair / shape.kv_heads, column = pair % shape.kv_heads * shape.head_dim;
      const PackJob job{{k.row(sequence * shape.key_capacity) + column, k.stride},
                        {v.row(sequence * shape.key_capacity) + column, v.stride},
                        keys_of(shape),
                        shape.head_dim,
                        value_stride,
                        packed_keys + pair * sizes.keys,
                        packed_values + pair * sizes.values};
      entries.pack(job, item % blocks);
    }
  });

  const std::int64_t row_items = (shape.queries + queries_per_item - 1) / queries_per_item;
  const int group = shape.heads / shape.kv_heads;
  split(workers, shape.sequences * shape.heads * row_items, 1, [&](std::int64_t begin_item, std::int64_t end_item) {
    for (std::int64_t item = begin_item; item < end_item; ++item) {
      const std::int64_t row_item = item % row_items, head = item / row_items % shape.heads, sequence = item / row_items / shape.heads;
      const std::int64_t pair = sequence * shape.kv_heads + head / group, first_row = sequence * shape.queries;
      const std::int64_t begin = row_item * queries_per_item, column = head * shape.head_dim;
      entries.forward({{q.row(first_row) + column, q.stride},
                       {out.row(first_row) + column, out.stride},
                       packed_keys + pair * sizes.keys,
                       packed_values + pair * sizes.values,
                       logsumexp ? logsumexp + (sequence * shape.heads + head) * shape.queries : nullptr,
                       begin,
                       std::min(begin + queries_per_item, shape.queries),
                       shape.first_position,
                       shape.head_dim,
                       value_stride,
                       shape.scale});
    }
  });
}

std::size_t attention_forward_workspace_bytes(const AttentionShape& shape, int) {
  const PackedSizes sizes = packed_sizes(shape, padded(shape.head_dim, most_tile_columns));
  const std::int64_t pairs = shape.sequences * shape.kv_heads;
  return scratch_slack + scratch_bytes(pairs * sizes.keys) + scratch_bytes(pairs * sizes.values);
}

void attention_backward(Workers& workers, const AttentionShape& shape, ConstMatrix q, ConstMatrix k, ConstMatrix v, ConstMatrix out,
                        const float* logsumexp, ConstMatrix dout, Matrix dq, Matrix dk, Matrix dv, Workspace workspace) {
  require_attention("attention_backward", shape);
  require_matrices("attention_backward", shape, q, k, v, out);
  require_matrices("attention_backward (gradients)", shape, dq, dk, dv, dout);
  if (shape.first_position != 0 || shape.key_capacity != shape.queries)
    refuse("attention_backward", "first_position " + std::to_string(shape.first_position) + ", key_capacity " + std::to_string(shape.key_capacity) +
                                     " (wanted 0 and queries " + std::to_string(shape.queries) + ")");
  require_workspace("attention_backward", workspace.size(), attention_backward_workspace_bytes(shape, workers.size()));
  const AttentionEntries& entries = entries_in_force<AttentionEntries>();
  const std::int64_t row_stride = padded(shape.head_dim, entries.tile_columns);
  const std::int64_t group = shape.heads / shape.kv_heads;
  Scratch scratch(workspace);
  std::byte* const sums = scratch.take<std::byte>(0);
  const std::size_t sums_bytes = scratch_bytes(group * shape.queries * padded(shape.head_dim, most_tile_columns));
  const std::size_t each_bytes = sums_bytes + scratch_bytes(group * shape.queries);

  deal(workers, shape.sequences * shape.kv_heads, 1, [&](int worker, std::int64_t begin, std::int64_t end) {
    float* const dq_sums = reinterpret_cast<float*>(sums + worker * each_bytes);
    float* const deltas = reinterpret_cast<float*>(sums + worker * each_bytes + sums_bytes);
    for (std::int64_t pair = begin; pair < end; ++pair) {
      const std::int64_t sequence = pair / shape.kv_heads, kv_head = pair % shape.kv_heads;
      const std::int64_t row = sequence * shape.queries, kv_column = kv_head * shape.head_dim, column = kv_column * group;
      entries.backward({{q.row(row) + column, q.stride},
                        {k.row(row) + kv_column, k.stride},
                        {v.row(row) + kv_column, v.stride},
                        {out.row(row) + column, out.stride},
                        {dout.row(row) + column, dout.stride},
                        {dq.row(row) + column, dq.stride},
                        {dk.row(row) + kv_column, dk.stride},
                        {dv.row(row) + kv_column, dv.stride},
                        logsumexp + (sequence * shape.heads + kv_head * group) * shape.queries,
                        shape.queries,
                        group,
                        shape.head_dim,
                        row_stride,
                        shape.scale,
                        dq_sums,
                        deltas});
    }
  });
}

std::size_t attention_backward_workspace_bytes(const AttentionShape& shape, int workers) {
  const std::int64_t rows = shape.heads / std::max(shape.kv_heads, 1) * shape.queries;
  const std::size_t each = scratch_bytes(rows * padded(shape.head_dim, most_tile_columns)) + scratch_bytes(rows);
  return scratch_slack + each * static_cast<std::size_t>(workers);
}

}   // namespace lastro::kernels
