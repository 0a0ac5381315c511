#include "model/tensors.h"

#include <algorithm>

namespace lastro {

namespace {

// Appends tensors to a unit, one behind the other.
class UnitBuilder {
 public:
  explicit UnitBuilder(std::string name) { unit_.name = std::move(name); }
  UnitBuilder& vector(std::string name, std::int64_t columns) { return add({std::move(name), 1, columns, true, 0}); }
  UnitBuilder& matrix(std::string name, std::int64_t rows, std::int64_t columns) { return add({std::move(name), rows, columns, false, 0}); }
  UnitTensors build() { return std::move(unit_); }

 private:
  UnitBuilder& add(NamedTensor tensor) {
    tensor.offset = unit_.elements();
    unit_.tensors.push_back(std::move(tensor));
    return *this;
  }
  UnitTensors unit_;
};

// Two digits at least, so that names sort as units do up to a hundred blocks.
std::string block_name(std::int64_t layer) { return (layer < 10 ? "block-0" : "block-") + std::to_string(layer); }

// q, k, v and gate, up are neighbours on purpose: each group shares its input and is one product.
UnitTensors block_tensors(const ModelShape& shape, std::int64_t layer) {
  const std::string prefix = "model.layers." + std::to_string(layer) + ".";
  return UnitBuilder(block_name(layer))
      .vector(prefix + "input_layernorm.weight", shape.width)
      .matrix(prefix + "self_attn.q_proj.weight", shape.query_width(), shape.width)
      .matrix(prefix + "self_attn.k_proj.weight", shape.kv_width(), shape.width)
      .matrix(prefix + "self_attn.v_proj.weight", shape.kv_width(), shape.width)
      .matrix(prefix + "self_attn.o_proj.weight", shape.width, shape.query_width())
      .vector(prefix + "post_attention_layernorm.weight", shape.width)
      .matrix(prefix + "mlp.gate_proj.weight", shape.ffn, shape.width)
      .matrix(prefix + "mlp.up_proj.weight", shape.ffn, shape.width)
      .matrix(prefix + "mlp.down_proj.weight", shape.width, shape.ffn)
      .build();
}

UnitTensors head_tensors(const ModelShape& shape) {
  UnitBuilder head("head");
  head.vector("model.norm.weight", shape.width);
  if (!shape.tied) head.matrix("lm_head.weight", shape.padded_vocabulary(), shape.width);
  return head.build();
}

template <class Float>
BlockParts<Float> cut(const ModelShape& shape, std::span<Float> unit) {
  std::size_t at = 0;
  const auto take = [&](std::int64_t elements) {
    const auto part = unit.subspan(at, static_cast<std::size_t>(elements));
    at += static_cast<std::size_t>(elements);
    return part;
  };
  BlockParts<Float> parts;
  parts.attention_norm = take(shape.width);
  parts.qkv = take(shape.qkv_width() * shape.width);
  parts.output = take(shape.width * shape.query_width());
  parts.ffn_norm = take(shape.width);
  parts.gate_up = take(2 * shape.ffn * shape.width);
  parts.down = take(shape.width * shape.ffn);
  return parts;
}

}   // namespace

std::int64_t UnitTensors::elements() const { return tensors.empty() ? 0 : tensors.back().interval().end; }

std::vector<UnitTensors> unit_tensors(const ModelShape& shape) {
  std::vector<UnitTensors> units;
  units.push_back(UnitBuilder("embedding").matrix("model.embed_tokens.weight", shape.padded_vocabulary(), shape.width).build());
  for (std::int64_t layer = 0; layer < shape.layers; ++layer) units.push_back(block_tensors(shape, layer));
  units.push_back(head_tensors(shape));
  return units;
}

StateLayout state_layout(const ModelShape& shape, std::int64_t tile_elements) {
  StateLayout layout;
  layout.tile_elements = tile_elements;
  for (const auto& unit : unit_tensors(shape)) layout.units.push_back({unit.name, unit.elements()});
  return layout;
}

std::int64_t largest_unit_elements(const ModelShape& shape) {
  std::int64_t most = 0;
  for (const auto& unit : unit_tensors(shape)) most = std::max(most, unit.elements());
  return most;
}

std::int64_t parameter_count(const ModelShape& shape) {
  std::int64_t count = 0;
  for (const auto& unit : unit_tensors(shape)) count += unit.elements();
  return count;
}

std::optional<TensorPlace> find_tensor(const ModelShape& shape, std::string_view name) {
  const auto units = unit_tensors(shape);
  for (std::size_t unit = 0; unit < units.size(); ++unit)
    for (const auto& tensor : units[unit].tensors)
      if (tensor.name == name) return TensorPlace{static_cast<int>(unit), tensor};
  return std::nullopt;
}

BlockParts<const float> block_parts(const ModelShape& shape, std::span<const float> unit) { return cut<const float>(shape, unit); }
BlockParts<float> block_parts(const ModelShape& shape, std::span<float> unit) { return cut<float>(shape, unit); }

}   // namespace lastro
