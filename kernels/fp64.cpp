#include "kernels/fp64.h"

#include "element/fp64.h"

namespace lastro::kernels {

double cosine_fp64(double x) { return sine_cosine_fp64(x).cosine; }
double exponential_fp64(double x) { return exp_fp64(x); }

}   // namespace lastro::kernels
