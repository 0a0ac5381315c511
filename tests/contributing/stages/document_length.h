#pragma once

#include "core/stage_registry.h"

namespace lastro {

// How long a dataset's training documents are. The report (report.json) is what gates ask.
class DocumentLengthStage {
 public:
  static constexpr std::string_view kind = "document_length";
  static constexpr std::string_view doc = "measures how long a dataset's training documents are";
  static constexpr int version = 1;
  using Settings = NoSettings;
  struct Inputs {
    Dataset dataset;
    static constexpr std::tuple ports{port("dataset", &Inputs::dataset)};
  };
  using Output = EvalReport;
  static constexpr std::array measurements{std::string_view("documents"), std::string_view("tokens_per_document")};

  explicit DocumentLengthStage(Settings) {}
  StageResult run(RunContext& run, const Inputs& inputs) const;
};

}   // namespace lastro
