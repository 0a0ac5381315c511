#include "train/decay.h"

#include <algorithm>

namespace lastro {

std::vector<DecayPart> decay_parts(const UnitTensors& unit, Interval shard) {
  std::vector<DecayPart> parts;
  for (const NamedTensor& tensor : unit.tensors) {
    const Interval part{std::max(tensor.offset, shard.begin) - shard.begin, std::min(tensor.offset + tensor.elements(), shard.end) - shard.begin};
    if (part.size() <= 0) continue;
    if (!parts.empty() && parts.back().decays == !tensor.is_vector)
      parts.back().in_shard.end = part.end;
    else
      parts.push_back({part, !tensor.is_vector});
  }
  return parts;
}

}   // namespace lastro
