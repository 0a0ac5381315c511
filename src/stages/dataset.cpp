#include "stages/dataset.h"

#include "data/build_dataset.h"

namespace lastro {

StageResult DatasetStage::run(RunContext& run, const Inputs& inputs) const {
  return build_dataset(run, settings_, inputs.tokenizer, inputs.text, inputs.evaluation);
}

}  // namespace lastro
