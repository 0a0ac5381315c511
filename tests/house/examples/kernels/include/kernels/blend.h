#pragma once

#include "domain/workers.h"
#include "kernels/matrix.h"

namespace lastro::kernels {

// y = y + factor * x, element by element, each one fused multiply-add. x and y are [rows, columns]; y may be x.
// Errors: InternalError when shapes disagree.
void blend(Workers& workers, ConstMatrix x, float factor, Matrix y);

}  // namespace lastro::kernels
