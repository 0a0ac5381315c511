#include <algorithm>
#include <cmath>
#include <limits>

#include "domain/errors.h"
#include "kernels/normal.h"
#include "kernels/optimizer.h"
#include "kernels/peak.h"
#include "kernels/reduce.h"
#include "support.h"

namespace lastro::kernels {
namespace {

// Long enough that every worker has a part, and odd.
constexpr std::int64_t count = 5 * 1024 + 13;

TEST(Adamw, GoesByTheBook) {
  const FlushingDenormals flushing;
  AdamwSettings settings;
  settings.lr = 0.01;
  settings.weight_decay = 0.1;
  settings.step = 7;
  settings.gradient_factor = 0.25f;
  const std::vector<float> parameters = test_numbers(1, count), m = test_numbers(2, count), gradient = test_numbers(4, count);
  std::vector<float> v = test_numbers(3, count);
  for (float& value : v) value = std::fabs(value);
  std::vector<float> wanted_parameters = parameters, wanted_m = m, wanted_v = v;
  const float first = 0.9f, first_rest = static_cast<float>(1 - 0.9), second = 0.95f, second_rest = static_cast<float>(1 - 0.95);
  const float root = static_cast<float>(1 / std::sqrt(1 - std::pow(0.95, 7))), size = static_cast<float>(0.01 / (1 - std::pow(0.9, 7)));
  for (std::int64_t i = 0; i < count; ++i) {
    const float g = gradient[i] * 0.25f;
    wanted_m[i] = std::fma(first, m[i], g * first_rest);
    wanted_v[i] = std::fma(second, v[i], (g * g) * second_rest);
    const float update = wanted_m[i] / std::fma(std::sqrt(wanted_v[i]), root, 1e-8f);
    wanted_parameters[i] = std::fma(-size, update, parameters[i] * static_cast<float>(1 - 0.01 * 0.1));
  }

  on_every_path([&](Workers& workers) {
    std::vector<float> found = parameters, found_m = m, found_v = v;
    adamw(workers, settings, found, found_m, found_v, gradient);
    EXPECT_TRUE(same_bits_in(found, wanted_parameters));
    EXPECT_TRUE(same_bits_in(found_m, wanted_m));
    EXPECT_TRUE(same_bits_in(found_v, wanted_v));
  });
}

TEST(Adamw, AnIntervalDoesNotDependOnHowTheVectorIsCut) {
  const FlushingDenormals flushing;
  const std::vector<float> gradient = test_numbers(4, 100);
  AdamwSettings settings;
  settings.lr = 0.01;
  on_every_path([&](Workers& workers) {
    std::vector<float> whole(100, 1.0f), m(100, 0.0f), v(100, 0.0f);
    adamw(workers, settings, whole, m, v, gradient);
    std::vector<float> cut(100, 1.0f), cut_m(100, 0.0f), cut_v(100, 0.0f);
    for (const auto& [begin, length] : {std::pair{0, 37}, std::pair{37, 63}})
      adamw(workers, settings, std::span(cut).subspan(begin, length), std::span(cut_m).subspan(begin, length),
            std::span(cut_v).subspan(begin, length), std::span(gradient).subspan(begin, length));
    EXPECT_TRUE(same_bits_in(cut, whole));
  });
}

TEST(TileSums, AreSixteenLanesAndATree) {
  const FlushingDenormals flushing;
  const std::vector<float> x = test_numbers(1, 1000);
  std::vector<double> wanted;
  for (std::int64_t first = 0; first < 1000; first += 300) {
    float lanes[16] = {};
    for (std::int64_t i = first; i < std::min<std::int64_t>(first + 300, 1000); ++i)
      lanes[(i - first) % 16] = std::fma(x[i], x[i], lanes[(i - first) % 16]);
    for (int half = 8; half > 0; half /= 2)
      for (int i = 0; i < half; ++i) lanes[i] += lanes[i + half];
    wanted.push_back(lanes[0]);
  }

  on_every_path([&](Workers& workers) {
    std::vector<double> found(4);
    tile_sums_of_squares(workers, x, 300, found);
    EXPECT_EQ(found, wanted);
  });
}

TEST(RowSum, AddsElementsToLanesModSixteen) {
  const FlushingDenormals flushing;
  for (const std::int64_t length : {0, 1, 7, 16, 17, 40, 100}) {
    const std::vector<float> x = test_numbers(5, length);
    float lanes[16] = {};
    for (std::int64_t i = 0; i < length; ++i) lanes[i % 16] += x[i];
    for (int half = 8; half > 0; half /= 2)
      for (int i = 0; i < half; ++i) lanes[i] += lanes[i + half];
    on_every_path([&](Workers&) { EXPECT_EQ(std::bit_cast<std::uint32_t>(row_sum(x)), std::bit_cast<std::uint32_t>(lanes[0])); });
  }
}

TEST(TreeSum, FoldsTheUpperHalfOntoTheLower) {
  std::vector<double> five = {1, 2, 4, 8, 16};   // (1 + 8) + 4, (2 + 16)
  EXPECT_EQ(tree_sum(five), 31);
  EXPECT_EQ(five[1], 18);
  std::vector<double> none;
  EXPECT_EQ(tree_sum(none), 0);
}

TEST(ClipFactor, ShrinksOnlyWhatIsTooLong) {
  EXPECT_FLOAT_EQ(clip_factor(16.0, 1.0), 0.25f);
  EXPECT_EQ(clip_factor(0.25, 1.0), 1.0f);
  EXPECT_EQ(clip_factor(1e9, 0.0), 1.0f);
}

TEST(Vectors, AreScaledAddedAndFilled) {
  const FlushingDenormals flushing;
  const std::vector<float> x = test_numbers(1, count), y = test_numbers(2, count);
  std::vector<float> wanted = x;
  for (std::int64_t i = 0; i < count; ++i) wanted[i] = x[i] * 0.3f + y[i];

  on_every_path([&](Workers& workers) {
    std::vector<float> found(count);
    fill(workers, found, 7.0f);
    EXPECT_EQ(found.front() + found.back(), 14.0f);
    found = x;
    scale(workers, found, 0.3f);
    add(workers, found, y);
    EXPECT_TRUE(same_bits_in(found, wanted));
  });
}

TEST(Normal, NumbersDependOnTheirPlaceAlone) {
  std::vector<float> whole(3000), part(1000);
  PlainThreads three(3);
  OneWorker one;
  fill_normal(three, 5, 1, 0, 0.0, 1.0, whole);
  fill_normal(one, 5, 1, 1500, 0.0, 1.0, part);
  EXPECT_TRUE(same_bits_in(part, {whole.begin() + 1500, whole.begin() + 2500}));
  fill_normal(one, 5, 2, 1500, 0.0, 1.0, part);
  EXPECT_FALSE(same_bits_in(part, {whole.begin() + 1500, whole.begin() + 2500}));
}

TEST(Normal, HasTheMomentsItShould) {
  std::vector<float> values(200'000);
  OneWorker one;
  fill_normal(one, 5, 1, 0, 0.5, 2.0, values);
  double mean = 0, square = 0;
  for (const float value : values) mean += value;
  mean /= static_cast<double>(values.size());
  for (const float value : values) square += (value - mean) * (value - mean);
  EXPECT_NEAR(mean, 0.5, 0.02);
  EXPECT_NEAR(std::sqrt(square / static_cast<double>(values.size())), 2.0, 0.02);
}

TEST(Peak, IsARateOnEveryPath) {
  on_every_path([&](Workers& workers) { EXPECT_GT(measure_peak_flops(workers, 0.002), 0.0); });
}

}   // namespace
}   // namespace lastro::kernels
