#include "tests/core/toy_stages.h"

// A stage's settings are fixed at construction, so running it must not change it.
struct Restless : lastro::toy::SftStage {
  using SftStage::SftStage;
  lastro::StageResult run(lastro::RunContext&, const Inputs&) { return {}; }
};
const lastro::StageKind wrong = lastro::stage_kind<Restless>();
