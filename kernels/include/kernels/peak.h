#pragma once

#include "domain/workers.h"

namespace lastro::kernels {

// The fp32 fused multiply-add rate of all `workers` together on the path in force, in floating-point operations per second (two a multiply-add),
// over about `seconds`; what other work takes of the machine meanwhile is missing in it.
double measure_flops(Workers& workers, double seconds);

// The attainable one: the best of twenty short bursts within about `seconds`.
double measure_peak_flops(Workers& workers, double seconds = 0.05);

}   // namespace lastro::kernels
