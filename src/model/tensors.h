#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/checkpoint.h"
#include "model/shape.h"

namespace lastro {

// A parameter of the model: its Hugging Face name, its shape as Hugging Face stores it ([out, in] for a matrix, row major), and where it
// lies in its unit's flat vector. Tensors of a unit follow each other in order without gaps.
struct NamedTensor {
  std::string name;
  std::int64_t rows = 1;   // 1 for a vector
  std::int64_t columns = 0;
  bool is_vector = false;    // shape [columns] instead of [rows, columns]
  std::int64_t offset = 0;   // elements from the unit's begin
  std::int64_t elements() const { return rows * columns; }
  Interval interval() const { return {offset, offset + elements()}; }
  bool operator==(const NamedTensor&) const = default;
};

// A unit is what is gathered and freed together. Units in order: embedding, block-00 .. block-NN, head. The head is the final norm, and
// the output matrix when it is not tied to the embedding.
struct UnitTensors {
  std::string name;
  std::vector<NamedTensor> tensors;
  std::int64_t elements() const;
  bool operator==(const UnitTensors&) const = default;
};

// The table that checkpoints, export, import, initialisation and the oracle share. `shape` is complete.
std::vector<UnitTensors> unit_tensors(const ModelShape& shape);

// The same as a state layout: one flat vector a unit.
StateLayout state_layout(const ModelShape& shape, std::int64_t tile_elements = StateLayout{}.tile_elements);

// Units are numbered as in unit_tensors.
constexpr int embedding_unit() { return 0; }
constexpr int block_unit(int layer) { return 1 + layer; }
constexpr int head_unit(const ModelShape& shape) { return 1 + static_cast<int>(shape.layers); }
constexpr int unit_count(const ModelShape& shape) { return 2 + static_cast<int>(shape.layers); }
// The longest unit: what a gather buffer must hold.
std::int64_t largest_unit_elements(const ModelShape& shape);

// Parameters of the model, padding rows of the vocabulary included; a tied matrix counts once.
std::int64_t parameter_count(const ModelShape& shape);

// Where a tensor is: its unit and its place in it. Empty when no tensor has this name.
struct TensorPlace {
  int unit = 0;
  NamedTensor tensor;
};
std::optional<TensorPlace> find_tensor(const ModelShape& shape, std::string_view name);

// All units' weights of a model, in the order of unit_tensors; the caller owns them.
using ModelWeights = std::vector<std::span<const float>>;

// Parts of a unit's flat vector. Each matrix is [out, in] row major; neighbours in the flat vector that share their input are one matrix.
template <class Float>
struct BlockParts {
  std::span<Float> attention_norm;   // [width]
  std::span<Float> qkv;              // [qkv_width, width]: q, k, v rows
  std::span<Float> output;           // [width, query_width]
  std::span<Float> ffn_norm;         // [width]
  std::span<Float> gate_up;          // [2 ffn, width]: gate, then up rows
  std::span<Float> down;             // [width, ffn]
};
BlockParts<const float> block_parts(const ModelShape& shape, std::span<const float> unit);
BlockParts<float> block_parts(const ModelShape& shape, std::span<float> unit);

}   // namespace lastro
