#include "train/schedule.h"

#include <algorithm>
#include <cmath>

#include "kernels/fp64.h"

namespace lastro {
namespace {

constexpr double pi = 0x1.921fb54442d18p+1;

// What is left of the height above min_ratio, after the share `progress` in [0, 1] of the way down.
double cosine_height(double progress) { return 0.5 * (1 + kernels::cosine_fp64(pi * progress)); }
double root_height(double progress) { return 1 - std::sqrt(progress); }

}   // namespace

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

}   // namespace lastro
