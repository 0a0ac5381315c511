#include "stages/dataset.h"

#include "data/build_dataset.h"
#include "data/dataset_layout.h"
#include "domain/errors.h"

namespace lastro {

StageResult DatasetStage::run(RunContext& run, const Inputs& inputs) const {
  StageResult result = build_dataset(run, settings_, inputs.tokenizer, inputs.text, inputs.evaluation);
  for (const ShardedSource& exam : read_dataset_layout(run.output).evaluation) {
    if (exam.documents() == 0)
      throw ContractError("evaluation source " + exam.source +
                          " has no items (nothing could be held against it, so a contamination of 0 would mean nothing) "
                          "look at its file and text_field, or leave it out");
    run.tracker.event("evaluation source " + exam.source + ": " + std::to_string(exam.documents()) + " items");
  }
  return result;
}

Resources DatasetStage::resources(const Settings&, const PlanFacts& facts) {
  Resources resources;
  const auto text = static_cast<std::int64_t>(facts.source_bytes);
  resources.memory_per_rank = {{"documents and sorting", facts.fitted_memory_bytes(text)}, program_memory(facts.ranks)};
  // Shards take about what their text does; a document is there three times while it is sorted out.
  resources.disk = {{"shards", DiskShare::Place::store, text}, {"texts, tokens and candidates", DiskShare::Place::work, 3 * text}};
  resources.other_device_s = static_cast<double>(facts.source_bytes) / 5e6;   // about what one core takes through all passes a second
  return resources;
}

}   // namespace lastro
