#include "tests/core/toy_stages.h"

// What is not an artifact has no digest, so nothing could tell whether it changed.
struct Careless : lastro::toy::Idle<lastro::Policy> {
  using Idle::Idle;
  static constexpr std::string_view kind = "careless";
  static constexpr int version = 1;
  struct Inputs {
    std::string path;
    static constexpr std::tuple ports{lastro::port("path", &Inputs::path)};
  };
  lastro::StageResult run(lastro::RunContext&, const Inputs&) const { return {}; }
};
const lastro::StageKind wrong = lastro::stage_kind<Careless>();
