#include "model/tensors.h"

#include <gmock/gmock.h>

#include <numeric>

#include "model/flops.h"
#include "support/small_model.h"

namespace lastro {
namespace {

TEST(UnitTensors, FollowEachOtherWithoutGapsInHuggingFacesNames) {
  const auto units = unit_tensors(odd_shape());

  ASSERT_EQ(units.size(), 4u);
  EXPECT_EQ(units[0].name, "embedding");
  EXPECT_EQ(units[2].name, "block-01");
  EXPECT_EQ(units[2].tensors[2].name, "model.layers.1.self_attn.k_proj.weight");
  EXPECT_EQ(units[3].name, "head");
  for (const auto& unit : units) {
    std::int64_t at = 0;
    for (const auto& tensor : unit.tensors) {
      EXPECT_EQ(tensor.offset, at) << tensor.name;
      at += tensor.elements();
    }
    EXPECT_EQ(unit.elements(), at);
  }
}

TEST(UnitTensors, CountParametersByHand) {
  ModelShape shape = odd_shape();
  const std::int64_t block = 21 + (24 + 8 + 8) * 21 + 21 * 24 + 21 + 2 * 27 * 21 + 21 * 27;
  EXPECT_EQ(parameter_count(shape), 48 * 21 + 2 * block + 21);

  shape.tied = false;
  EXPECT_EQ(parameter_count(shape), 2 * 48 * 21 + 2 * block + 21);
  EXPECT_EQ(unit_tensors(shape).back().tensors.back().name, "lm_head.weight");
}

TEST(UnitTensors, AreTheCheckpointsLayout) {
  const StateLayout layout = state_layout(odd_shape(), 256);

  ASSERT_EQ(layout.units.size(), 4u);
  EXPECT_EQ(layout.tile_elements, 256);
  EXPECT_EQ(layout.units[3], (StateLayout::Unit{"head", 21}));
  EXPECT_EQ(largest_unit_elements(odd_shape()), layout.units[1].elements);
}

TEST(BlockParts, LieWhereTheTableSays) {
  const ModelShape shape = odd_shape();
  std::vector<float> unit(static_cast<std::size_t>(unit_tensors(shape)[1].elements()));
  const auto parts = block_parts(shape, std::span<float>(unit));

  const auto offset_of = [&](std::string_view name) { return find_tensor(shape, "model.layers.0." + std::string(name) + ".weight")->tensor.offset; };
  EXPECT_EQ(parts.attention_norm.data() - unit.data(), offset_of("input_layernorm"));
  EXPECT_EQ(parts.qkv.data() - unit.data(), offset_of("self_attn.q_proj"));
  EXPECT_EQ(parts.qkv.data() + 24 * 21 - unit.data(), offset_of("self_attn.k_proj"));
  EXPECT_EQ(parts.output.data() - unit.data(), offset_of("self_attn.o_proj"));
  EXPECT_EQ(parts.ffn_norm.data() - unit.data(), offset_of("post_attention_layernorm"));
  EXPECT_EQ(parts.gate_up.data() + 27 * 21 - unit.data(), offset_of("mlp.up_proj"));
  EXPECT_EQ(parts.down.data() - unit.data(), offset_of("mlp.down_proj"));
  EXPECT_EQ(parts.down.data() + parts.down.size(), unit.data() + unit.size());
  EXPECT_FALSE(find_tensor(shape, "lm_head.weight"));
}

TEST(LeafFlops, ComeCloseToSixNDWhereProductsDominate) {
  ModelShape shape;
  shape.width = 512;
  shape.ffn = 1408;
  shape.heads = 8;
  shape.kv_heads = 8;
  shape = complete(shape, 2048);
  const LeafShape leaf{4, 64};

  const auto flops = leaf_flops(shape, leaf, Keep::everything);

  const double estimate = static_cast<double>(six_n_d(shape, leaf.rows()));
  EXPECT_NEAR(static_cast<double>(flops.useful()) / estimate, 1.0, 0.02);
  EXPECT_EQ(flops.recompute, 2 * leaf.rows() * 2048 * 512);   // the tied head's logits
}

TEST(LeafFlops, AreThoseCountedByHand) {
  ModelShape shape = odd_shape();
  shape.layers = 1;
  shape.tied = false;
  const LeafShape leaf{2, 3};
  const std::int64_t products = 2 * 6 * (21 * 40 + 24 * 21 + 21 * 54), down = 2 * 6 * 27 * 21, logits = 2 * 6 * 48 * 21;
  const std::int64_t pairs = 2 * 3 * 6 * 8;   // sequences, heads, pairs of 3 tokens, head_dim

  const auto flops = leaf_flops(shape, leaf, Keep::inputs);

  EXPECT_EQ(flops.forward, products + down + 4 * pairs + logits);
  EXPECT_EQ(flops.backward, 2 * (products + down) + 10 * pairs + 2 * logits);
  EXPECT_EQ(flops.recompute, 0);   // one block: its inside is still there
}

}   // namespace
}   // namespace lastro
