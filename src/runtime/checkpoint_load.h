#pragma once

#include "runtime/checkpoint_folder.h"

namespace lastro {

// Reads this rank's part of the state, whatever number of ranks wrote it, and verifies what it reads; between them the ranks check every
// byte of every shard. Throws DamagedShard, ContractError (the layout is another one) or EnvironmentError; `state` is then spoilt.
void load_part(const CommittedCheckpoint& checkpoint, const StateView& state, Rank rank, int world);

}   // namespace lastro
