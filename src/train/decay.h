#pragma once

#include <vector>

#include "core/checkpoint.h"
#include "model/tensors.h"

namespace lastro {

// A part of a shard whose weights decay, or do not: matrices do, vectors (norms) do not.
struct DecayPart {
  Interval in_shard;
  bool decays = false;
  bool operator==(const DecayPart&) const = default;
};

// The parts of the shard `shard` of a unit, ascending; neighbours that are alike are one part.
std::vector<DecayPart> decay_parts(const UnitTensors& unit, Interval shard);

}   // namespace lastro
