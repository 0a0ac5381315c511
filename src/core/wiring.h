#pragma once

#include <vector>

#include "core/stage_registry.h"
#include "domain/manifest.h"

namespace lastro {

// Whether a manifest's parts fit together: every input names something that is there and has a type its port takes, every port that must be
// given is, nothing waits for itself, gates ask for what is measured. Adds a problem for each that does not.
void check_wiring(const Manifest& manifest, const StageRegistry& registry, Problems& problems);

// Indices of the manifest's stages, each behind what it builds on; otherwise in the manifest's order. Stages that wait for themselves are left out.
std::vector<std::size_t> stage_order(const Manifest& manifest);

// The stages that a stage takes artifacts from, by index.
std::vector<std::size_t> stages_before(const Manifest& manifest, const StageSpec& stage);

}   // namespace lastro
