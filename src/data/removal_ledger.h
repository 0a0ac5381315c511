#pragma once

#include "data/build_state.h"

namespace lastro {

// Writes removed.jsonl: one line a removed (or reported) document, in the corpus's order.
//   {"source": "prose", "file": "<sha256>", "offset": 4711, "sha256": "<of the clean text>", "rule": "near_duplicate", "action": "removed",
//    "of": {"source": "prose", "file": "<sha256>", "offset": 12}, "shingles_in_common": 80, "shingles": 95}
// A story has "story": 17 in place of file and offset, a question "question": 17. Files go by their digests, since a file's name is no part of its
// content.
void write_removal_ledger(BuildState& state);

std::string_view name_of(Rule rule);

}   // namespace lastro
