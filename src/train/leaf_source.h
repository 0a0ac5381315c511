#pragma once

#include <cstdint>
#include <span>

#include "domain/ids.h"

namespace lastro {

// Where leaves come from: a pure function of its arguments, so that any rank asks for any leaf and a restart seeks to any step.
class LeafSource {
 public:
  virtual ~LeafSource() = default;

  // Writes leaf `leaf` of data step `data_step` to `tokens` [sequences, context + 1]: each row is one sequence and the token after it.
  virtual void leaf(std::int64_t data_step, std::int64_t leaf, std::span<TokenId> tokens) = 0;
};

}   // namespace lastro
