#pragma once

#include "domain/workers.h"
#include "kernels/matrix.h"

// The three products of a linear layer y = x W^T. Weights are stored as [outputs, inputs], as in Hugging Face checkpoints.
// Every output element is one chain of fused multiply-adds over the contraction index, ascending, from `start`: its bits depend on
// nothing else (not on rows, tiles, threads, processor). Outputs may not overlap inputs. Any sizes, 0 included.
// Errors: InternalError when shapes disagree or the workspace is too small.
namespace lastro::kernels {

// y [tokens, outputs] = x [tokens, inputs] . weight [outputs, inputs] ^T, contracted over inputs.
void linear_forward(Workers& workers, ConstMatrix x, ConstMatrix weight, Matrix y, Start start, Workspace workspace);

// y = residual + product: one addition after the finished chain; `residual` is [tokens, outputs].
void linear_forward_add(Workers& workers, ConstMatrix x, ConstMatrix weight, ConstMatrix residual, Matrix y, Workspace workspace);

// dx [tokens, inputs] = dy [tokens, outputs] . weight [outputs, inputs], contracted over outputs.
void linear_backward_input(Workers& workers, ConstMatrix dy, ConstMatrix weight, Matrix dx, Start start, Workspace workspace);

// dweight [outputs, inputs] = dy [tokens, outputs] ^T . x [tokens, inputs], contracted over tokens.
void linear_backward_weight(Workers& workers, ConstMatrix dy, ConstMatrix x, Matrix dweight, Start start, Workspace workspace);

// Enough for any of the four on `workers` threads, whatever the sizes.
std::size_t linear_workspace_bytes(int workers);

}   // namespace lastro::kernels
