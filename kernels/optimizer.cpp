#include "kernels/optimizer.h"

#include <algorithm>
#include <cmath>

#include "cpu/check.h"
#include "cpu/split.h"
#include "vector_cpu.h"

namespace lastro::kernels {
namespace {

double power(double base, std::int64_t exponent) {
  double result = 1;
  for (; exponent > 0; exponent /= 2, base *= base)
    if (exponent % 2) result *= base;
  return result;
}

AdamwFactors factors_of(const AdamwSettings& settings) {
  const double first = 1 - power(settings.beta1, settings.step), second = 1 - power(settings.beta2, settings.step);
  AdamwFactors factors;
  factors.gradient = settings.gradient_factor;
  factors.beta1 = static_cast<float>(settings.beta1);
  factors.rest1 = static_cast<float>(1 - settings.beta1);
  factors.beta2 = static_cast<float>(settings.beta2);
  factors.rest2 = static_cast<float>(1 - settings.beta2);
  factors.second_moment_root = static_cast<float>(1 / std::sqrt(second));
  factors.epsilon = static_cast<float>(settings.epsilon);
  factors.step_size = static_cast<float>(settings.lr / first);
  factors.keep = static_cast<float>(1 - settings.lr * settings.weight_decay);
  return factors;
}

std::int64_t size_of(std::span<const float> x) { return static_cast<std::int64_t>(x.size()); }
constexpr std::int64_t grain = 1024;

}   // namespace

void adamw(Workers& workers, const AdamwSettings& settings, std::span<float> parameters, std::span<float> m, std::span<float> v,
           std::span<const float> gradient) {
  require_count("adamw", "m", size_of(m), size_of(parameters));
  require_count("adamw", "v", size_of(v), size_of(parameters));
  require_count("adamw", "gradient", size_of(gradient), size_of(parameters));
  if (settings.step < 1) refuse("adamw", "step " + std::to_string(settings.step) + " (steps count from 1)");
  const AdamwFactors factors = factors_of(settings);
  const VectorEntries& entries = entries_in_force<VectorEntries>();
  split(workers, size_of(parameters), grain, [&](std::int64_t begin, std::int64_t end) {
    entries.adamw(factors, end - begin, parameters.data() + begin, m.data() + begin, v.data() + begin, gradient.data() + begin);
  });
}

void tile_sums_of_squares(Workers& workers, std::span<const float> x, std::int64_t tile, std::span<double> tile_sums) {
  if (tile < 1) refuse("tile_sums_of_squares", "tile " + std::to_string(tile) + " (wanted at least 1)");
  const std::int64_t tiles = (size_of(x) + tile - 1) / tile;
  require_count("tile_sums_of_squares", "tile_sums", static_cast<std::int64_t>(tile_sums.size()), tiles);
  const VectorEntries& entries = entries_in_force<VectorEntries>();
  split(workers, tiles, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) tile_sums[i] = entries.sum_of_squares(x.data() + i * tile, std::min(tile, size_of(x) - i * tile));
  });
}

double tree_sum(std::span<double> values) {
  if (values.empty()) return 0;
  for (std::size_t count = values.size(); count > 1;) {
    const std::size_t half = (count + 1) / 2;
    for (std::size_t i = 0; i + half < count; ++i) values[i] += values[i + half];
    count = half;
  }
  return values[0];
}

float clip_factor(double sum_of_squares, double max_norm) {
  if (max_norm <= 0) return 1.0f;
  return static_cast<float>(std::min(1.0, max_norm / (std::sqrt(sum_of_squares) + 1e-6)));
}

void scale(Workers& workers, std::span<float> x, float factor) {
  const VectorEntries& entries = entries_in_force<VectorEntries>();
  split(workers, size_of(x), grain, [&](std::int64_t begin, std::int64_t end) { entries.scale(x.data() + begin, end - begin, factor); });
}

void add(Workers& workers, std::span<float> accumulator, std::span<const float> x) {
  require_count("add", "x", size_of(x), size_of(accumulator));
  const VectorEntries& entries = entries_in_force<VectorEntries>();
  split(workers, size_of(x), grain,
        [&](std::int64_t begin, std::int64_t end) { entries.add(accumulator.data() + begin, x.data() + begin, end - begin); });
}

void fill(Workers& workers, std::span<float> x, float value) {
  split(workers, size_of(x), grain, [&](std::int64_t begin, std::int64_t end) { std::fill(x.begin() + begin, x.begin() + end, value); });
}

}   // namespace lastro::kernels
