#pragma once

#include <string>

#include "core/stage_registry.h"

namespace lastro {

// What a manifest may hold, from the declarations that its parser works by: a JSON Schema (draft 2020-12) for editors, with defaults, bounds and
// units, and the tables of manifests/README.md, in which each field stands once.
Node manifest_schema(const StageRegistry& registry);
std::string manifest_reference(const StageRegistry& registry);

}   // namespace lastro
