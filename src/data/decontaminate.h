#pragma once

#include "data/build_state.h"

namespace lastro {

// Text documents that hold an evaluation item (ngram_index.h has the rule) go, or are reported. Where the items do not fit into memory at
// once, documents are read several times.
void decontaminate(BuildState& state);

}   // namespace lastro
