#pragma once

#include <filesystem>
#include <vector>

#include "model/decode.h"
#include "stages/model_files.h"

namespace lastro {

// A whole model in memory, out of a model's artifact or a checkpoint beside model.json. Every tile is verified as it is read.
class LoadedModel {
 public:
  // Throws ContractError naming shard, dataset and tile when something is damaged.
  explicit LoadedModel(const std::filesystem::path& model_folder);
  const ModelFiles& files() const { return files_; }
  const ModelShape& shape() const { return files_.shape; }
  ModelWeights weights() const;

 private:
  ModelFiles files_;
  std::vector<std::vector<float>> units_;
};

// Bytes of a whole model's weights.
std::int64_t model_bytes(const ModelShape& shape);

}   // namespace lastro
