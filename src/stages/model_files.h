#pragma once

#include <filesystem>

#include "domain/digest.h"
#include "model/shape.h"

namespace lastro {

// What a model's artifact holds beside its checkpoint: model.json and tokenizer/.
struct ModelFiles {
  ModelShape shape;   // complete
  Digest tokenizer;   // the Tokenizer artifact
  Digest dataset;     // what it was trained on
};

// Writes both into an artifact's folder; `tokenizer_folder` is copied. Returns the digest of model.json.
Digest write_model_files(const std::filesystem::path& output, const ModelFiles& files, const std::filesystem::path& tokenizer_folder);

// Throws ContractError when model.json is missing or damaged.
ModelFiles read_model_files(const std::filesystem::path& model_folder);

// A model's content: its logical state and what model.json says of it. Independent of how many ranks wrote the state.
Digest model_content(const Digest& logical_state, const Digest& model_json);

}   // namespace lastro
