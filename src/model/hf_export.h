#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/checkpoint.h"
#include "domain/ids.h"
#include "model/shape.h"

namespace lastro {

// Special tokens as Hugging Face's files name them.
struct HfTokens {
  std::optional<TokenId> bos;
  std::vector<TokenId> eos;   // any of them ends a text; may be empty
  std::optional<TokenId> pad;
};

// Fills `values` with an interval of a unit's weights.
using UnitReader = std::function<void(int unit, Interval part, std::span<float> values)>;

// Writes config.json, generation_config.json and model.safetensors (fp32) of a LlamaForCausalLM to `folder`, which exists. Padding rows of
// the vocabulary are left out, so that the reader's probabilities are the model's; a tied output matrix is left out too. The keys of
// transformers 4 and 5 are both there. Streams: at most a few MiB of weights are in memory at a time.
void export_hf(const ModelShape& shape, const HfTokens& tokens, const UnitReader& weights, const std::filesystem::path& folder);

}   // namespace lastro
