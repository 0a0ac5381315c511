#pragma once

#include "domain/workers.h"

namespace lastro::kernels {

// Attainable fp32 fused multiply-add rate of all `workers` together on the path in force, in floating-point operations per second (two a
// multiply-add), measured for about `seconds`: the best of several short rounds.
double measure_peak_flops(Workers& workers, double seconds = 0.05);

}   // namespace lastro::kernels
