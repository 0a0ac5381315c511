#include "model/block.h"

#include <algorithm>
#include <cmath>

#include "kernels/attention.h"
#include "kernels/linear.h"
#include "kernels/rmsnorm.h"
#include "kernels/rope.h"
#include "kernels/swiglu.h"

namespace lastro {

using kernels::ConstMatrix;
using kernels::Matrix;
using kernels::Start;

namespace {

ConstMatrix matrix_of(std::span<const float> flat, std::int64_t columns) {
  return {flat.data(), static_cast<std::int64_t>(flat.size()) / columns, columns};
}
Matrix matrix_of(std::span<float> flat, std::int64_t columns) { return {flat.data(), static_cast<std::int64_t>(flat.size()) / columns, columns}; }

kernels::AttentionShape attention_shape(const ModelShape& shape, LeafShape leaf) {
  kernels::AttentionShape attention;
  attention.sequences = leaf.sequences;
  attention.queries = leaf.tokens;
  attention.key_capacity = leaf.tokens;
  attention.heads = static_cast<int>(shape.heads);
  attention.kv_heads = static_cast<int>(shape.kv_heads);
  attention.head_dim = static_cast<int>(shape.head_dim);
  attention.scale = attention_scale(shape);
  return attention;
}

void turn(const BlockContext& context, const QkvColumns<float>& qkv, kernels::Turn direction) {
  const auto& shape = context.shape;
  const int head_dim = static_cast<int>(shape.head_dim);
  kernels::rope(context.workers, qkv.q, static_cast<int>(shape.heads), head_dim, context.leaf.tokens, 0, context.rope.cosines, context.rope.sines,
                direction);
  kernels::rope(context.workers, qkv.k, static_cast<int>(shape.kv_heads), head_dim, context.leaf.tokens, 0, context.rope.cosines, context.rope.sines,
                direction);
}

}   // namespace

float attention_scale(const ModelShape& shape) { return static_cast<float>(1.0 / std::sqrt(static_cast<double>(shape.head_dim))); }

std::size_t block_workspace_bytes(const ModelShape& shape, LeafShape leaf, int workers) {
  const auto attention = attention_shape(shape, leaf);
  return std::max({kernels::linear_workspace_bytes(workers), kernels::attention_forward_workspace_bytes(attention, workers),
                   kernels::attention_backward_workspace_bytes(attention, workers)});
}

BlockActivations carve_block_activations(ActivationCarver& carver, const ModelShape& shape, LeafShape leaf, MemoryClass what) {
  const std::int64_t rows = leaf.rows();
  BlockActivations made;
  made.inverse_rms = carver.take<float>(rows, what);
  made.normed = carver.matrix(rows, shape.width, what);
  made.qkv = carver.matrix(rows, shape.qkv_width(), what);
  made.mixed = carver.matrix(rows, shape.query_width(), what);
  made.logsumexp = carver.take<float>(rows * shape.heads, what);
  made.middle = carver.matrix(rows, shape.width, what);
  made.ffn_inverse_rms = carver.take<float>(rows, what);
  made.ffn_normed = carver.matrix(rows, shape.width, what);
  made.gate_up = carver.matrix(rows, 2 * shape.ffn, what);
  made.inner = carver.matrix(rows, shape.ffn, what);
  return made;
}

BlockScratch carve_block_scratch(ActivationCarver& carver, const ModelShape& shape, LeafShape leaf, MemoryClass what) {
  return {carver.matrix(leaf.rows(), shape.query_width(), what), carver.matrix(leaf.rows(), shape.qkv_width(), what)};
}

BlockActivations first_rows(const BlockActivations& made, std::int64_t rows) {
  BlockActivations fewer = made;
  for (Matrix* matrix : {&fewer.normed, &fewer.qkv, &fewer.mixed, &fewer.middle, &fewer.ffn_normed, &fewer.gate_up, &fewer.inner})
    *matrix = matrix->rows_from(0, rows);
  return fewer;
}

void block_forward_qkv(const BlockContext& context, const BlockParts<const float>& weights, ConstMatrix x, const BlockActivations& made) {
  const auto& [shape, leaf, workers, rope, workspace] = context;
  kernels::rmsnorm_forward(workers, x, weights.attention_norm.data(), static_cast<float>(shape.norm_eps), made.normed, made.inverse_rms);
  kernels::linear_forward(workers, made.normed, matrix_of(weights.qkv, shape.width), made.qkv, Start::zero, workspace);
}

void block_forward_ffn(const BlockContext& context, const BlockParts<const float>& weights, ConstMatrix x, const BlockActivations& made) {
  const auto& [shape, leaf, workers, rope, workspace] = context;
  kernels::linear_forward_add(workers, made.mixed, matrix_of(weights.output, shape.query_width()), x, made.middle, workspace);
  kernels::rmsnorm_forward(workers, made.middle, weights.ffn_norm.data(), static_cast<float>(shape.norm_eps), made.ffn_normed, made.ffn_inverse_rms);
  kernels::linear_forward(workers, made.ffn_normed, matrix_of(weights.gate_up, shape.width), made.gate_up, Start::zero, workspace);
  kernels::swiglu_forward(workers, made.gate_up.columns_from(0, shape.ffn), made.gate_up.columns_from(shape.ffn, shape.ffn), made.inner);
}

void block_forward_inside(const BlockContext& context, const BlockParts<const float>& weights, ConstMatrix x, const BlockActivations& made) {
  const auto& [shape, leaf, workers, rope, workspace] = context;
  block_forward_qkv(context, weights, x, made);
  const auto qkv = qkv_columns(shape, made.qkv);
  turn(context, qkv, kernels::Turn::forward);
  kernels::attention_forward(workers, attention_shape(shape, leaf), qkv.q, qkv.k, qkv.v, made.mixed, made.logsumexp, workspace);
  block_forward_ffn(context, weights, x, made);
}

void block_forward_out(const BlockContext& context, const BlockParts<const float>& weights, const BlockActivations& made, Matrix out) {
  kernels::linear_forward_add(context.workers, made.inner, matrix_of(weights.down, context.shape.ffn), made.middle, out, context.workspace);
}

void block_backward(const BlockContext& context, const BlockParts<const float>& weights, ConstMatrix x, const BlockActivations& made,
                    const BlockScratch& scratch, Matrix d, const BlockParts<float>& gradient) {
  const auto& [shape, leaf, workers, rope, workspace] = context;

  // Feed-forward. Each weight's gradient is taken before its input's memory is used again.
  kernels::linear_backward_weight(workers, d, made.inner, matrix_of(gradient.down, shape.ffn), Start::zero, workspace);
  const Matrix dinner = made.inner;
  kernels::linear_backward_input(workers, d, matrix_of(weights.down, shape.ffn), dinner, Start::zero, workspace);
  const Matrix gate = made.gate_up.columns_from(0, shape.ffn), up = made.gate_up.columns_from(shape.ffn, shape.ffn);
  kernels::swiglu_backward(workers, gate, up, dinner, gate, up);
  const Matrix dgate_up = made.gate_up;
  kernels::linear_backward_weight(workers, dgate_up, made.ffn_normed, matrix_of(gradient.gate_up, shape.width), Start::zero, workspace);
  const Matrix dffn_normed = made.ffn_normed;
  kernels::linear_backward_input(workers, dgate_up, matrix_of(weights.gate_up, shape.width), dffn_normed, Start::zero, workspace);
  kernels::rmsnorm_backward_weight(workers, made.middle, made.ffn_inverse_rms, dffn_normed, gradient.ffn_norm.data(), Start::zero);
  kernels::rmsnorm_backward_input(workers, made.middle, weights.ffn_norm.data(), made.ffn_inverse_rms, dffn_normed, d, d);

  // Attention; `d` is now the gradient of `middle`.
  kernels::linear_backward_weight(workers, d, made.mixed, matrix_of(gradient.output, shape.query_width()), Start::zero, workspace);
  kernels::linear_backward_input(workers, d, matrix_of(weights.output, shape.query_width()), scratch.dmixed, Start::zero, workspace);
  const auto qkv = qkv_columns(shape, made.qkv);
  const auto dqkv = qkv_columns(shape, scratch.dqkv);
  kernels::attention_backward(workers, attention_shape(shape, leaf), qkv.q, qkv.k, qkv.v, made.mixed, made.logsumexp, scratch.dmixed, dqkv.q, dqkv.k,
                              dqkv.v, workspace);
  turn(context, dqkv, kernels::Turn::backward);
  kernels::linear_backward_weight(workers, scratch.dqkv, made.normed, matrix_of(gradient.qkv, shape.width), Start::zero, workspace);
  const Matrix dnormed = made.normed;
  kernels::linear_backward_input(workers, scratch.dqkv, matrix_of(weights.qkv, shape.width), dnormed, Start::zero, workspace);
  kernels::rmsnorm_backward_weight(workers, x, made.inverse_rms, dnormed, gradient.attention_norm.data(), Start::zero);
  kernels::rmsnorm_backward_input(workers, x, weights.attention_norm.data(), made.inverse_rms, dnormed, d, d);
}

}   // namespace lastro
