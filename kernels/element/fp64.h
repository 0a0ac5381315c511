#pragma once

#include <cstdint>

#include "element/arithmetic.h"

// exp, log, sine and cosine in fp64 for what is computed once and rounded to fp32 (rotation tables, schedules, initial weights). Algorithms
// and polynomials of fdlibm (Sun Microsystems 1993: e_exp.c, e_log.c, k_sin.c, k_cos.c, e_rem_pio2.c); below 2 ulp of fp64.
namespace lastro::kernels {

KERNEL_FN double scaled_by_power_of_two(double x, std::int64_t n) {
  const std::int64_t half = n / 2;   // in two factors, since 2^n alone may overflow
  return x * same_bits<double>((half + 1023) << 52) * same_bits<double>((n - half + 1023) << 52);
}
KERNEL_FN double nearest_integer(double x) {
  const double shift = 6755399441055744.0;   // 1.5 * 2^52
  return (x + shift) - shift;
}

inline double exp_fp64(double x) {
  if (x != x) return x;
  if (x > 709.782712893384) return __builtin_inf();
  if (x < -745.133219101941) return 0.0;
  const double k = nearest_integer(x * 1.44269504088896338700);
  const double high = x - k * 6.93147180369123816490e-01, low = k * 1.90821492927058770002e-10;
  const double r = high - low, t = r * r;
  const double c =
      r -
      t * (1.66666666666666019037e-01 +
           t * (-2.77777777770155933842e-03 + t * (6.61375632143793436117e-05 + t * (-1.65339022054652515390e-06 + t * 4.13813679705723846039e-08))));
  return scaled_by_power_of_two(1.0 - ((low - (r * c) / (2.0 - c)) - high), static_cast<std::int64_t>(k));
}

// Requires a normal positive x; 0 gives minus infinity.
inline double log_fp64(double x) {
  if (x == 0) return -__builtin_inf();
  const std::int64_t bits = same_bits<std::int64_t>(x);
  const std::int64_t exponent = (bits - 0x3fe6a09e667f3bcd) >> 52;   // the rest lies in [sqrt(1/2), sqrt(2))
  const double f = same_bits<double>(bits - (exponent << 52)) - 1.0;
  const double k = static_cast<double>(exponent);
  const double s = f / (2.0 + f), z = s * s, w = z * z;
  const double odd = w * (3.999999999940941908e-01 + w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
  const double even = z * (6.666666666666735130e-01 + w * (2.857142874366239149e-01 + w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
  const double half_square = 0.5 * f * f;
  return k * 6.93147180369123816490e-01 - ((half_square - (s * (half_square + (odd + even)) + k * 1.90821492927058770002e-10)) - f);
}

struct SineCosine {
  double sine, cosine;
};

// Requires |x| below about a million: the angle is reduced with 118 bits of pi / 2.
inline SineCosine sine_cosine_fp64(double x) {
  const double n = nearest_integer(x * 6.36619772367581382433e-01);
  const double coarse = x - n * 1.57079632673412561417e+00;
  const double fine = n * 6.07710050630396597660e-11;
  const double rest = coarse - fine;
  const double lost = n * 2.02226624879595063154e-21 - ((coarse - rest) - fine);
  const double y = rest - lost, tail = (rest - y) - lost;

  const double z = y * y, v = z * y;
  const double sine_part =
      8.33333333332248946124e-03 +
      z * (-1.98412698298579493134e-04 + z * (2.75573137070700676789e-06 + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)));
  const double sine = y - ((z * (0.5 * tail - v * sine_part) - tail) - v * -1.66666666666666324348e-01);
  const double cosine_part = z * (4.16666666666666019037e-02 +
                                  z * (-1.38888888888741095749e-03 +
                                       z * (2.48015872894767294178e-05 +
                                            z * (-2.75573143513906633035e-07 + z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11)))));
  const double half_square = 0.5 * z, most = 1.0 - half_square;
  const double cosine = most + (((1.0 - most) - half_square) + (z * cosine_part - y * tail));

  switch (static_cast<std::int64_t>(n) & 3) {
    case 0: return {sine, cosine};
    case 1: return {cosine, -sine};
    case 2: return {-sine, -cosine};
    default: return {-cosine, sine};
  }
}

}   // namespace lastro::kernels
