#pragma once

namespace lastro::kernels {

// The cosine of x radians, |x| below about a million, in fp64: the one that the kernels use, the same bits on any machine.
double cosine_fp64(double x);

// e to the power x, in fp64, likewise.
double exponential_fp64(double x);

}   // namespace lastro::kernels
