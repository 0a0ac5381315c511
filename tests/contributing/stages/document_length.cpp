#include "stages/document_length.h"

#include <algorithm>

#include "core/json.h"
#include "data/token_shards.h"
#include "text/text_file.h"

namespace lastro {

StageResult DocumentLengthStage::run(RunContext& run, const Inputs& inputs) const {
  const DatasetLayout layout = read_dataset_layout(inputs.dataset.folder());
  // Each rank counts its part. Counts are whole numbers, so that their sum does not depend on how many ranks there are.
  std::int64_t counts[2] = {0, 0};
  auto& [documents, tokens] = counts;
  for_each_document(
      inputs.dataset.folder(), layout, Split::train,
      [&](const TokenDocument& document) {
        documents += 1;
        tokens += static_cast<std::int64_t>(document.tokens.size());
      },
      run.ranks.rank().value, run.ranks.size());
  run.ranks.all_sum(counts);

  StageResult result;
  result.summary.set("documents", documents);
  result.summary.set("tokens_per_document", static_cast<double>(tokens) / static_cast<double>(std::max<std::int64_t>(1, documents)));
  if (run.ranks.is_root()) write_text_file(run.output / "report.json", to_json_pretty(result.summary) + "\n");
  return result;
}

}   // namespace lastro
