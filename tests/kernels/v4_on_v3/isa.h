#pragma once

#include <immintrin.h>

#include "isa/v4/registers.h"

// v4's registers as pairs of AVX2's.
namespace lastro::kernels {
namespace {

union Pair {
  Floats whole;
  __m256 half[2];
};
KERNEL_FN Floats paired(__m256 low, __m256 high) {
  const Pair pair{.half = {low, high}};
  return pair.whole;
}

KERNEL_FN Floats splat(float value) { return paired(_mm256_set1_ps(value), _mm256_set1_ps(value)); }
KERNEL_FN Floats load(const float* from) { return paired(_mm256_loadu_ps(from), _mm256_loadu_ps(from + 8)); }
KERNEL_FN void store(float* to, Floats value) {
  const Pair pair{value};
  for (int i = 0; i < 2; ++i) _mm256_storeu_ps(to + 8 * i, pair.half[i]);
}
KERNEL_FN Floats fma(Floats a, Floats b, Floats c) {
  const Pair x{a}, y{b}, z{c};
  return paired(_mm256_fmadd_ps(x.half[0], y.half[0], z.half[0]), _mm256_fmadd_ps(x.half[1], y.half[1], z.half[1]));
}
KERNEL_FN void carry(Floats& sum, Floats a, Floats b) { sum = fma(a, b, sum); }
KERNEL_FN Floats square_root(Floats a) {
  const Pair pair{a};
  return paired(_mm256_sqrt_ps(pair.half[0]), _mm256_sqrt_ps(pair.half[1]));
}

}   // namespace
}   // namespace lastro::kernels
