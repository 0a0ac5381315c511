#pragma once

#include "kernels/matrix.h"
#include "model/leaf_pass.h"
#include "model/memory.h"
#include "model/tensors.h"

// One decoder block, [rows, width] to [rows, width]:
//   normed = RMSNorm(x);  q, k, v = normed . Wqkv^T, q and k turned;  mixed = attention(q, k, v);  middle = x + mixed . Wo^T
//   ffn_normed = RMSNorm(middle);  gate, up = ffn_normed . Wgu^T;  inner = silu(gate) * up;  out = middle + inner . Wd^T
namespace lastro {

struct RopeTables {
  const float* cosines = nullptr;   // [context, head_dim / 2]
  const float* sines = nullptr;
};

// What a block computes with: the same for all blocks of a pass.
struct BlockContext {
  const ModelShape& shape;
  LeafShape leaf;
  Workers& workers;
  RopeTables rope;
  kernels::Workspace workspace;   // at least block_workspace_bytes
};
float attention_scale(const ModelShape& shape);   // 1 / sqrt(head_dim)
std::size_t block_workspace_bytes(const ModelShape& shape, LeafShape leaf, int workers);

// What the forward pass makes on its way, for the backward pass.
struct BlockActivations {
  float* inverse_rms = nullptr;       // [rows]
  kernels::Matrix normed;             // [rows, width]
  kernels::Matrix qkv;                // [rows, qkv_width], turned
  kernels::Matrix mixed;              // [rows, query_width]
  float* logsumexp = nullptr;         // [sequences, heads, tokens]
  kernels::Matrix middle;             // [rows, width]
  float* ffn_inverse_rms = nullptr;   // [rows]
  kernels::Matrix ffn_normed;         // [rows, width]
  kernels::Matrix gate_up;            // [rows, 2 ffn]
  kernels::Matrix inner;              // [rows, ffn]
};
BlockActivations carve_block_activations(ActivationCarver& carver, const ModelShape& shape, LeafShape leaf, MemoryClass what);

// What the backward pass needs besides; its other intermediate values overwrite activations.
struct BlockScratch {
  kernels::Matrix dmixed;   // [rows, query_width]
  kernels::Matrix dqkv;     // [rows, qkv_width]
};
BlockScratch carve_block_scratch(ActivationCarver& carver, const ModelShape& shape, LeafShape leaf, MemoryClass what);

// The same activations with fewer rows, for a pass shorter than there is room for.
BlockActivations first_rows(const BlockActivations& made, std::int64_t rows);

// The parts before and after attention are row by row, so training and decoding share them.
// x -> normed, qkv (not yet turned).
void block_forward_qkv(const BlockContext& context, const BlockParts<const float>& weights, kernels::ConstMatrix x, const BlockActivations& made);
// x, mixed -> middle, ffn_normed, gate_up, inner.
void block_forward_ffn(const BlockContext& context, const BlockParts<const float>& weights, kernels::ConstMatrix x, const BlockActivations& made);

// Everything but the last product: fills `made` from x.
void block_forward_inside(const BlockContext& context, const BlockParts<const float>& weights, kernels::ConstMatrix x, const BlockActivations& made);

// The last product and the residual: out = middle + inner . Wd^T.
void block_forward_out(const BlockContext& context, const BlockParts<const float>& weights, const BlockActivations& made, kernels::Matrix out);

// `d` holds the gradient of the block's output and gets that of its input; `gradient` is overwritten. `made` is used up.
void block_backward(const BlockContext& context, const BlockParts<const float>& weights, kernels::ConstMatrix x, const BlockActivations& made,
                    const BlockScratch& scratch, kernels::Matrix d, const BlockParts<float>& gradient);

// Columns of a [rows, qkv_width] matrix.
template <class T>
struct QkvColumns {
  kernels::MatrixView<T> q, k, v;
};
template <class T>
QkvColumns<T> qkv_columns(const ModelShape& shape, kernels::MatrixView<T> qkv) {
  const std::int64_t q = shape.query_width(), kv = shape.kv_width();
  return {qkv.columns_from(0, q), qkv.columns_from(q, kv), qkv.columns_from(q + kv, kv)};
}

}   // namespace lastro
