#pragma once

#include "data/build_state.h"

namespace lastro {

// Text documents that are near-duplicates (minhash.h) of an earlier one go. "Earlier" is by source, then by content digest, so that places
// of files do not matter. A document goes when any earlier one, kept or not, is verified to be as similar as the settings say; so no two
// documents that stay were found similar, and no document goes that is not itself close to the one it is called a duplicate of, as it
// would when whole clusters were reduced to one.
//
// In a band's bucket of k documents, each is compared with the first and with the `compared_neighbours` before it, in that order: work
// grows with k, not its square.
inline constexpr int compared_neighbours = 8;

void remove_near_duplicates(BuildState& state);

}   // namespace lastro
