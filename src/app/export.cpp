#include <cstdio>
#include <filesystem>

#include "app/commands.h"
#include "app/run_access.h"
#include "app/terminal.h"
#include "core/checkpoint_reader.h"
#include "core/files.h"
#include "domain/errors.h"
#include "model/hf_export.h"
#include "model/tensors.h"
#include "stages/model_files.h"
#include "text/tokenizer.h"

namespace lastro {
namespace fs = std::filesystem;
namespace {

// A folder that is emptied again when what fills it fails, so that the next try finds it empty.
class EmptiedUnlessKept {
 public:
  explicit EmptiedUnlessKept(fs::path folder) : folder_(std::move(folder)) {}
  ~EmptiedUnlessKept() {
    std::error_code ignored;
    if (!kept_)
      for (const auto& entry : fs::directory_iterator(folder_, ignored)) fs::remove_all(entry.path(), ignored);
  }
  EmptiedUnlessKept(const EmptiedUnlessKept&) = delete;
  EmptiedUnlessKept& operator=(const EmptiedUnlessKept&) = delete;
  void keep() { kept_ = true; }

 private:
  fs::path folder_;
  bool kept_ = false;
};

}   // namespace

int export_command(const Invocation& invocation) {
  const OpenedRun run = open_run(invocation);
  const FoundArtifact model = newest_model(run);
  const ModelFiles files = read_model_files(model.folder);
  const CheckpointReader state(model.folder);
  const BpeTokenizer tokenizer = BpeTokenizer::load(model.folder / "tokenizer");

  const fs::path& output = invocation.other;
  if (fs::exists(output) && !(fs::is_directory(output) && fs::is_empty(output)))
    throw UsageError(output.string() + " exists (nothing of yours is overwritten) name a new or empty folder");
  make_folders(output);
  const std::vector<UnitTensors> units = unit_tensors(files.shape);
  EmptiedUnlessKept partial(output);
  export_hf(
      files.shape, {.bos = tokenizer.end_of_text(), .eos = {tokenizer.end_of_text()}, .pad = tokenizer.end_of_text()},
      [&](int unit, Interval part, std::span<float> values) { state.read("weights", units[unit].name, part, values); }, output);
  for (const char* name : {"tokenizer.json", "tokenizer_config.json"})
    fs::copy_file(model.folder / "tokenizer" / name, output / name, fs::copy_options::overwrite_existing);

  partial.keep();

  if (invocation.json) {
    Node line;
    line.set("folder", output.string());
    line.set("model", model.record.digest.to_string());
    print_json(line);
  } else {
    std::printf("%s of %s is in %s (transformers: AutoModelForCausalLM.from_pretrained(\"%s\"))\n", model.record.digest.to_string().c_str(),
                model.stage.c_str(), output.c_str(), output.c_str());
  }
  return 0;
}

}   // namespace lastro
