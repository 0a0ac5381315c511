#include "stages/footprint.h"

#include "core/files.h"
#include "core/json.h"

namespace lastro {

StageResult FootprintStage::run(RunContext& run, const Inputs& inputs) const {
  std::int64_t files = 0, blocks = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(inputs.dataset.folder())) {
    if (!entry.is_regular_file()) continue;
    ++files;
    blocks += (static_cast<std::int64_t>(entry.file_size()) + settings_.block_bytes - 1) / settings_.block_bytes;
  }
  StageResult result;   // equal on every rank: the ranks compare it
  result.summary.set("files", files);
  result.summary.set("bytes", blocks * settings_.block_bytes);
  if (run.ranks.is_root()) write_file(run.output / "report.json", to_json_pretty(result.summary) + "\n");   // each file is one rank's
  run.ranks.barrier();
  return result;
}

}  // namespace lastro
