#pragma once

#include "domain/workers.h"
#include "kernels/matrix.h"

// Squared ReLU (So et al. 2021, "Primer"): y = max(x, 0)^2. Both matrices are [tokens, ffn].
// Errors: InternalError when shapes disagree.
namespace lastro::kernels {

void squared_relu(Workers& workers, ConstMatrix x, Matrix y);   // y may be x

}   // namespace lastro::kernels
