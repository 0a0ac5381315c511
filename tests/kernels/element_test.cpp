#include "element/exp_log.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "element/fp64.h"
#include "element/normal.h"
#include "support.h"

namespace lastro::kernels {
namespace {

// Distance in units in the last place of the true value.
template <class Real>
double ulps(Real found, long double wanted) {
  int exponent = 0;
  std::frexp(wanted, &exponent);
  const long double unit = std::ldexp(1.0L, exponent - std::numeric_limits<Real>::digits);
  return static_cast<double>(std::fabs((static_cast<long double>(found) - wanted) / unit));
}

float any_float(std::uint64_t i) { return std::bit_cast<float>(static_cast<std::uint32_t>(random_u64(11, Purpose::test, i))); }

TEST(Element, FmaRoundsOnceAsTheProcessorDoes) {
  const FlushingDenormals flushing;
  for (std::uint64_t i = 0; i < 2'000'000; ++i) {
    const float a = any_float(3 * i), b = any_float(3 * i + 1);
    // Every other addend lies close to the product, where cancellation makes rounding hard.
    const float c =
        i % 2 ? any_float(3 * i + 2) : std::bit_cast<float>(std::bit_cast<std::uint32_t>(-(a * b)) + static_cast<std::uint32_t>(i % 7) - 3);
    const float found = fma(a, b, c), wanted = std::fma(a, b, c);
    if (std::isnan(wanted))
      ASSERT_TRUE(std::isnan(found));
    else
      ASSERT_EQ(std::bit_cast<std::uint32_t>(found), std::bit_cast<std::uint32_t>(wanted)) << a << " * " << b << " + " << c;
  }
}

TEST(Element, ExpIsWithinOneUlp) {
  const FlushingDenormals flushing;
  double worst = 0;
  for (int i = 0; i < 400'000; ++i) {
    const float x = static_cast<float>(-87.3 + 176.0 * i / 400'000);
    worst = std::max(worst, ulps(exp_of(x), std::exp(static_cast<long double>(x))));
  }
  EXPECT_LE(worst, 1.0);
}

TEST(Element, ExpKeepsItsLimits) {
  const FlushingDenormals flushing;
  EXPECT_EQ(exp_of(0.0f), 1.0f);
  EXPECT_EQ(exp_of(-INFINITY), 0.0f);
  EXPECT_EQ(exp_of(-88.0f), 0.0f);   // below the smallest normal number
  EXPECT_EQ(exp_of(INFINITY), INFINITY);
  EXPECT_TRUE(std::isfinite(exp_of(88.72f)));
  EXPECT_TRUE(std::isnan(exp_of(NAN)));
}

TEST(Element, LogIsWithinTwoUlps) {
  const FlushingDenormals flushing;
  double worst = 0;
  for (std::uint64_t i = 0; i < 400'000; ++i) {
    const float x = std::fabs(any_float(i));
    if (!std::isnormal(x)) continue;
    worst = std::max(worst, ulps(log_of(x), std::log(static_cast<long double>(x))));
  }
  for (int i = 1; i < 200'000; ++i) {
    const float x = static_cast<float>(0.5 + i * 1e-5);
    if (x != 1.0f) worst = std::max(worst, ulps(log_of(x), std::log(static_cast<long double>(x))));
  }
  EXPECT_LE(worst, 2.0);
}

TEST(Element, LogKeepsItsLimits) {
  const FlushingDenormals flushing;
  EXPECT_EQ(log_of(1.0f), 0.0f);
  EXPECT_EQ(log_of(0.0f), -INFINITY);
  const volatile float denormal = 1e-40f;   // volatile: the compiler would fold it without flushing
  EXPECT_EQ(log_of(float{denormal}), -INFINITY);
  EXPECT_EQ(log_of(INFINITY), INFINITY);
  EXPECT_TRUE(std::isnan(log_of(-1.0f)));
  EXPECT_TRUE(std::isnan(log_of(NAN)));
}

TEST(Element, Fp64FunctionsAreWithinTwoUlps) {
  double exp_worst = 0, log_worst = 0, sine_worst = 0, cosine_worst = 0;
  for (int i = 0; i < 200'000; ++i) {
    const double x = -700 + i * 0.00703, y = std::exp(x * 0.9), angle = i * 0.37;
    exp_worst = std::max(exp_worst, ulps(exp_fp64(x), std::exp(static_cast<long double>(x))));
    log_worst = std::max(log_worst, ulps(log_fp64(y), std::log(static_cast<long double>(y))));
    const SineCosine turned = sine_cosine_fp64(angle);
    sine_worst = std::max(sine_worst, ulps(turned.sine, std::sin(static_cast<long double>(angle))));
    cosine_worst = std::max(cosine_worst, ulps(turned.cosine, std::cos(static_cast<long double>(angle))));
  }
  EXPECT_LE(exp_worst, 2.0);
  EXPECT_LE(log_worst, 2.0);
  EXPECT_LE(sine_worst, 2.0);
  EXPECT_LE(cosine_worst, 2.0);
}

TEST(Element, NormalAtInvertsTheDistribution) {
  for (int i = 1; i < 4000; ++i) {
    const double share = i < 3000 ? i / 3000.0 : std::exp(-(i - 2999) * 0.036);
    const long double back = 0.5L * std::erfc(-static_cast<long double>(normal_at(share)) / std::sqrt(2.0L));
    EXPECT_NEAR(static_cast<double>(back / share), 1.0, 1e-13) << share;
  }
}

}   // namespace
}   // namespace lastro::kernels
