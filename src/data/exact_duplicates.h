#pragma once

#include "data/build_state.h"

namespace lastro {

// Of text documents with the same clean text, the first of the corpus stays. Ranks share the digests out by their first bytes.
void remove_exact_duplicates(BuildState& state);

}   // namespace lastro
