#pragma once

#include <cstdint>

#include "kernels/kernel_fn.h"

// The few operations that element functions are made of, on one fp32 number. Vector paths bring the same names for their registers
// (isa/<path>/isa.h).
namespace lastro::kernels {

template <class To, class From>
KERNEL_FN To same_bits(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  __builtin_memcpy(&to, &from, sizeof(to));
  return to;
}

KERNEL_FN std::int32_t bits_of(float a) { return same_bits<std::int32_t>(a); }
KERNEL_FN float from_bits(std::int32_t a) { return same_bits<float>(a); }
KERNEL_FN float to_floats(std::int32_t a) { return static_cast<float>(a); }
KERNEL_FN float square_root(float a) { return __builtin_sqrtf(a); }

// a * b + c, rounded once. Without a fused instruction: the product is exact in fp64 and the sum is rounded to odd there (Boldo and
// Melquiond 2008), so that the last rounding, to fp32, is the only one that shows. Where sums are not finite, odd is left out.
KERNEL_FN float fma(float a, float b, float c) {
#if defined(__CUDA_ARCH__)
  return __fmaf_rn(a, b, c);
#else
  const double product = static_cast<double>(a) * static_cast<double>(b);
  const double addend = c;
  const double sum = product + addend;
  const double part = sum - product;
  const double error = (product - (sum - part)) + (addend - part);
  std::int64_t bits = same_bits<std::int64_t>(sum);
  if ((error > 0 || error < 0) && !(bits & 1)) bits += (error > 0) == (sum > 0) ? 1 : -1;
  return static_cast<float>(same_bits<double>(bits));
#endif
}

}   // namespace lastro::kernels
