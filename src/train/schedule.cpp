#include "train/schedule.h"

#include <algorithm>
#include <cmath>

namespace lastro {
namespace {

// cos(pi x) for x in [0, 1] by Taylor's series at 0 (quarter by quarter, so that its argument stays below pi / 4), as one chain of fused
// multiply-adds: libm's cosine differs by processor and release. Error below 1e-15.
double cos_pi(double x) {
  constexpr double pi = 0x1.921fb54442d18p+1;
  if (x > 0.5) return -cos_pi(1 - x);
  if (x > 0.25) {
    const double angle = pi * (0.5 - x), square = angle * angle;   // the sine of what is missing to pi / 2
    double sum = 0;
    for (int k = 17; k >= 3; k -= 2) sum = -square / (k * (k - 1)) * (1 + sum);
    return angle * (1 + sum);
  }
  const double angle = pi * x, square = angle * angle;
  double sum = 0;
  for (int k = 18; k >= 2; k -= 2) sum = -square / (k * (k - 1)) * (1 + sum);
  return 1 + sum;
}

// What is left of the height above min_ratio, after the share `progress` in [0, 1] of the way down.
double cosine_height(double progress) { return 0.5 * (1 + cos_pi(progress)); }
double root_height(double progress) { return 1 - std::sqrt(progress); }

}  // namespace

double schedule_factor(const ScheduleShape& shape, Step done) {
  if (done.value < shape.warmup_steps) return static_cast<double>(done.value + 1) / static_cast<double>(shape.warmup_steps);
  const auto steps = static_cast<double>(shape.steps), at = static_cast<double>(done.value);
  const auto warmup = static_cast<double>(std::min(shape.warmup_steps, shape.steps));
  const double begin = shape.kind == Schedule::cosine ? warmup : std::max(warmup, steps - shape.decay_fraction * steps);
  if (at < begin || begin >= steps) return 1;
  const double progress = std::min(1.0, (at - begin) / (steps - begin));
  const double height = shape.kind == Schedule::cosine ? cosine_height(progress) : root_height(progress);
  return std::fma(1 - shape.min_ratio, height, shape.min_ratio);
}

}  // namespace lastro
