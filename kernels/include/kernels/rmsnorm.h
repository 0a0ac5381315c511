#pragma once

#include "domain/workers.h"
#include "kernels/matrix.h"

// Root mean square norm (Zhang and Sennrich 2019): inverse_rms = 1 / sqrt(mean(x^2) + epsilon), y = (x * inverse_rms) * weight.
// Sums over a row: 16 lanes by column mod 16, then the tree of kernels/reduce.h. Errors: InternalError when shapes disagree.
namespace lastro::kernels {

// x, y [tokens, width]; weight [width]; inverse_rms [tokens] is saved for the backward. y may be x.
void rmsnorm_forward(Workers& workers, ConstMatrix x, const float* weight, float epsilon, Matrix y, float* inverse_rms);

// dx = add + gradient through the norm: `add` [tokens, width] is the gradient that passes the norm by (the residual stream's) and may be
// dx itself; an empty `add` (null data) adds nothing. dx may be dy.
void rmsnorm_backward_input(Workers& workers, ConstMatrix x, const float* weight, const float* inverse_rms, ConstMatrix dy, ConstMatrix add,
                            Matrix dx);

// dweight[c] = chain over tokens, ascending, of dy[t, c] * (x[t, c] * inverse_rms[t]). Call it before dx overwrites dy.
void rmsnorm_backward_weight(Workers& workers, ConstMatrix x, const float* inverse_rms, ConstMatrix dy, float* dweight, Start start);

}   // namespace lastro::kernels
