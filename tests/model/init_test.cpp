#include "model/init.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "support/small_model.h"

namespace lastro {
namespace {

std::vector<float> whole_unit(const ModelShape& shape, std::uint64_t seed, int unit) {
  const std::int64_t elements = unit_tensors(shape)[static_cast<std::size_t>(unit)].elements();
  std::vector<float> values(static_cast<std::size_t>(elements), -7.0f);
  initialise(shape, seed, unit, {0, elements}, values);
  return values;
}

TEST(Initialise, FillsAnyIntervalAsTheWhole) {
  const ModelShape shape = odd_shape();
  for (int unit = 0; unit < unit_count(shape); ++unit) {
    const auto whole = whole_unit(shape, 42, unit);
    const auto elements = static_cast<std::int64_t>(whole.size());

    std::vector<float> pieces;
    for (std::int64_t at = 0; at < elements; at += 101) {
      const Interval part{at, std::min(at + 101, elements)};
      std::vector<float> values(static_cast<std::size_t>(part.size()));
      initialise(shape, 42, unit, part, values);
      pieces.insert(pieces.end(), values.begin(), values.end());
    }

    EXPECT_EQ(pieces, whole) << "unit " << unit;
  }
}

TEST(Initialise, DependsOnSeedAndTensor) {
  const ModelShape shape = odd_shape();

  EXPECT_NE(whole_unit(shape, 1, block_unit(0)), whole_unit(shape, 2, block_unit(0)));
  EXPECT_NE(whole_unit(shape, 1, block_unit(0)), whole_unit(shape, 1, block_unit(1)));
}

TEST(Initialise, GivesEachTensorItsDeviation) {
  ModelShape shape = odd_shape();
  shape.width = 128;
  shape.ffn = 256;
  const auto unit = whole_unit(shape, 42, block_unit(1));
  const auto deviation_of = [&](std::string_view name) {
    const auto tensor = find_tensor(shape, "model.layers.1." + std::string(name) + ".weight")->tensor;
    double squares = 0;
    for (std::int64_t i = tensor.offset; i < tensor.interval().end; ++i)
      squares += static_cast<double>(unit[static_cast<std::size_t>(i)]) * unit[static_cast<std::size_t>(i)];
    return std::sqrt(squares / static_cast<double>(tensor.elements()));
  };

  EXPECT_NEAR(deviation_of("mlp.up_proj"), 0.02, 0.0005);
  EXPECT_NEAR(deviation_of("mlp.down_proj"), 0.01, 0.0003);   // 0.02 / sqrt(2 * 2 layers)
  EXPECT_NEAR(deviation_of("self_attn.o_proj"), 0.01, 0.0005);
  EXPECT_EQ(deviation_of("input_layernorm"), 1.0);
}

TEST(Initialise, LeavesPaddingRowsZero) {
  const auto embedding = whole_unit(odd_shape(), 42, embedding_unit());

  EXPECT_THAT(std::vector<float>(embedding.begin() + 37 * 21, embedding.end()), testing::Each(0.0f));
  EXPECT_NE(embedding[37 * 21 - 1], 0.0f);
}

}   // namespace
}   // namespace lastro
