#include "tests/core/toy_stages.h"

// SFT starts from a checkpoint; a policy is not one.
lastro::toy::SftStage::Inputs wrong(const lastro::Policy& policy) { return {policy, {}}; }
