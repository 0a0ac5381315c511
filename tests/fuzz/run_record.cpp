// A run's manifest.out.yaml: it is refused, or it answers; and a run that begins beside it, whatever it holds, has a record that says what is told.
#include "runtime/run_record.h"

#include "core/hash.h"
#include "fuzz_target.h"

namespace lastro {
namespace {

Node manifest() {
  Node node, stages, stage;
  stage.set("kind", "vocabulary");
  stages.set("01_vocabulary", stage);
  node.set("name", "fuzzed");
  node.set("stages", stages);
  return node;
}

}   // namespace

void must_hold_for(std::string_view bytes) {
  std::filesystem::remove_all(fuzz_folder() / "history");
  fuzz_file("manifest.out.yaml", bytes);
  reads_or_refuses([] {
    const auto record = RunRecord::load(fuzz_folder());
    record->output_of("01_vocabulary");
    record->running_stage();
    record->seconds_spent("01_vocabulary");
    record->total_cost_usd();
    record->total_wall_clock_s();
  });

  RunRecord begun = RunRecord::begin(fuzz_folder(), manifest());
  begun.stage_begins("01_vocabulary", {});
  begun.stage_done({.stage = "01_vocabulary", .key = sha256("key"), .inputs = {}, .output = sha256("output")});
  require(RunRecord::load(fuzz_folder())->output_of("01_vocabulary") == sha256("output"));
}

std::vector<std::string> good_inputs() {
  RunRecord record = RunRecord::begin(fuzz_folder(), manifest());
  const std::string begun = bytes_of(fuzz_folder() / "manifest.out.yaml");
  record.stage_begins("01_vocabulary", {"02_tokenizer"});
  const std::string running = bytes_of(fuzz_folder() / "manifest.out.yaml");
  record.stage_done(
      {.stage = "01_vocabulary", .key = sha256("key"), .inputs = {{"text", sha256("text")}}, .output = sha256("other"), .cost_usd = 0.5});
  return {begun, running, bytes_of(fuzz_folder() / "manifest.out.yaml")};
}

}   // namespace lastro
