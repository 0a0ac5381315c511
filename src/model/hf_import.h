#pragma once

#include <filesystem>
#include <span>

#include "model/shape.h"
#include "model/tensor_source.h"

namespace lastro {

// The shape that a Hugging Face directory's config.json states. Throws ContractError naming the key when the model is not of the class that
// Lastro computes (other activations, biases, scaled rotary positions, ...).
ModelShape shape_from_hf(const std::filesystem::path& folder, std::int64_t vocabulary_multiple);

// Fills a unit's flat vector from tensors with Hugging Face names; missing vocabulary rows up to the padded size become 0.
// Throws ContractError naming the tensor, its shape wanted and found.
void import_unit(TensorSource& source, const ModelShape& shape, int unit, std::span<float> values);

// Throws ContractError when the source has a tensor that the model has no place for (buffers of rotary tables are passed over).
void check_all_used(const TensorSource& source, const ModelShape& shape);

}   // namespace lastro
