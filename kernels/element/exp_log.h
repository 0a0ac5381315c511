#pragma once

#include "element/arithmetic.h"

// exp and log in fp32 from fused multiply-adds, for one number or a register of them (V). Within 1 ulp (exp) and 2 ulp (log) of the true
// value; results below 2^-126 are 0, as everywhere with denormals flushed. Polynomials: Cephes (Moshier), expf.c and logf.c.
namespace lastro::kernels {

template <class V>
KERNEL_FN V constant(float value) {
  return V{} + value;
}

template <class V>
KERNEL_FN V exp_of(V x) {
  const V low = constant<V>(-104.0f), high = constant<V>(89.0f);
  const V to_integer = constant<V>(12582912.0f);   // 1.5 * 2^23: adding it leaves the nearest integer in the last bits
  x = x < low ? low : x;                           // a NaN stays
  x = x > high ? high : x;
  const V shifted = fma(x, constant<V>(1.44269504f), to_integer);
  const V n = shifted - to_integer;
  V r = fma(n, constant<V>(-0.693147182f), x);
  r = fma(n, constant<V>(1.90465429e-9f), r);
  V p = constant<V>(1.9875691500e-4f);
  p = fma(p, r, constant<V>(1.3981999507e-3f));
  p = fma(p, r, constant<V>(8.3334519073e-3f));
  p = fma(p, r, constant<V>(4.1665795894e-2f));
  p = fma(p, r, constant<V>(1.6666665459e-1f));
  p = fma(p, r, constant<V>(5.0000001201e-1f));
  p = fma(p, r * r, r) + constant<V>(1.0f);
  // 2^n in two factors, since n may be 128 or below -126.
  const auto exponent = bits_of(shifted) - bits_of(to_integer);
  const auto half = exponent >> 1;
  return (p * from_bits((half + 127) << 23)) * from_bits((exponent - half + 127) << 23);
}

template <class V>
KERNEL_FN V log_of(V x) {
  const V zero = constant<V>(0.0f), one = constant<V>(1.0f), infinity = constant<V>(__builtin_inff());
  const auto bits = bits_of(x);
  const auto exponent = (bits - 0x3f3504f3) >> 23;   // so that the rest lies in [sqrt(1/2), sqrt(2))
  const V f = from_bits(bits - (exponent << 23)) - one;
  const V e = to_floats(exponent);
  V p = constant<V>(7.0376836292e-2f);
  p = fma(p, f, constant<V>(-1.1514610310e-1f));
  p = fma(p, f, constant<V>(1.1676998740e-1f));
  p = fma(p, f, constant<V>(-1.2420140846e-1f));
  p = fma(p, f, constant<V>(1.4249322787e-1f));
  p = fma(p, f, constant<V>(-1.6668057665e-1f));
  p = fma(p, f, constant<V>(2.0000714765e-1f));
  p = fma(p, f, constant<V>(-2.4999993993e-1f));
  p = fma(p, f, constant<V>(3.3333331174e-1f));
  const V square = f * f;
  V y = fma(p * f, square, e * constant<V>(-2.12194440e-4f));
  y = fma(square, constant<V>(-0.5f), y);
  y = fma(e, constant<V>(0.693359375f), f + y);
  y = x == infinity ? infinity : y;
  y = x == zero ? zero - infinity : y;   // a denormal counts as zero
  return x < zero || x != x ? constant<V>(__builtin_nanf("")) : y;
}

}   // namespace lastro::kernels
