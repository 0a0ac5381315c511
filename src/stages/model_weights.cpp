#include "stages/model_weights.h"

#include "core/checkpoint_reader.h"
#include "domain/errors.h"
#include "model/tensors.h"

namespace lastro {

LoadedModel::LoadedModel(const std::filesystem::path& model_folder) : files_(read_model_files(model_folder)) {
  const CheckpointReader reader(model_folder);
  const StateLayout wanted = state_layout(files_.shape);
  if (reader.layout().units != wanted.units)
    throw ContractError(model_folder.string() + " holds a checkpoint of another shape than its model.json says (mixed up by hand?)");
  for (const StateLayout::Unit& unit : wanted.units) {
    units_.emplace_back(unit.elements);
    reader.read("weights", unit.name, units_.back());
  }
}

ModelWeights LoadedModel::weights() const { return ModelWeights(units_.begin(), units_.end()); }

std::int64_t model_bytes(const ModelShape& shape) {
  std::int64_t bytes = 0;
  for (const StateLayout::Unit& unit : state_layout(shape).units) bytes += unit.elements * static_cast<std::int64_t>(sizeof(float));
  return bytes;
}

}   // namespace lastro
