#pragma once

#include "domain/workers.h"
#include "kernels/matrix.h"

// SwiGLU (Shazeer 2020): h = silu(gate) * up, silu(g) = g / (1 + exp(-g)). All matrices are [tokens, ffn].
// Errors: InternalError when shapes disagree.
namespace lastro::kernels {

void swiglu_forward(Workers& workers, ConstMatrix gate, ConstMatrix up, Matrix h);   // h may be gate or up

// dgate = dh * up * silu'(gate), dup = dh * silu(gate); outputs may be any of the inputs' memory, place by place.
void swiglu_backward(Workers& workers, ConstMatrix gate, ConstMatrix up, ConstMatrix dh, Matrix dgate, Matrix dup);

}   // namespace lastro::kernels
