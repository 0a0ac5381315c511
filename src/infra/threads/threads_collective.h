#pragma once

#include <functional>

#include "core/collective.h"

namespace lastro {

// Runs `body` once for each of `ranks` ranks, each on a thread of its own, and returns when all have ended. The first exception is
// rethrown here; ranks that wait for the one that threw, in this collective or in one split from it, are released.
// For tests, and for work that wants the shape of several ranks inside one process.
void run_as_ranks(int ranks, const std::function<void(Collective& ranks)>& body);

}   // namespace lastro
