#pragma once

#include "core/stage_registry.h"

namespace lastro {

struct FootprintSettings {
  std::int64_t block_bytes = 4096;
  static constexpr std::tuple fields{
      field("block_bytes", &FootprintSettings::block_bytes, {.doc = "a file takes whole blocks of this size", .unit = "bytes", .min = 1}),
  };
};

// Measures how much room a dataset takes on a disk. The report (report.json) has files and bytes.
class FootprintStage {
 public:
  static constexpr std::string_view kind = "footprint";
  static constexpr std::string_view doc = "measures how much room a dataset takes";
  static constexpr int version = 1;
  static constexpr std::array measurements{std::string_view("files"), std::string_view("bytes")};
  using Settings = FootprintSettings;
  struct Inputs {
    Dataset dataset;
    static constexpr std::tuple ports{port("dataset", &Inputs::dataset)};
  };
  using Output = EvalReport;

  explicit FootprintStage(Settings settings) : settings_(settings) {}
  StageResult run(RunContext& run, const Inputs& inputs) const;

 private:
  Settings settings_;
};

}  // namespace lastro
