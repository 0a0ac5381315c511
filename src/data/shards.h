#pragma once

#include <vector>

#include "data/build_state.h"
#include "data/dataset_layout.h"
#include "data/split.h"
#include "text/tokenizer.h"

namespace lastro {

// Tokenises the documents that are left and writes them as shards into the artifact (dataset_layout.h), in the corpus's order. Ranks
// tokenise what they read; then each writes the shards whose turn is its own, out of everybody's tokens. Where a shard ends follows from
// the documents alone. Returns the layout, equal on every rank.
DatasetLayout write_shards(BuildState& state, const BpeTokenizer& tokenizer, const HeldOutRule& held_out);

}   // namespace lastro
