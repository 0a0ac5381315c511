#pragma once

#include <cstdint>

#include "data/build_state.h"
#include "data/dataset_layout.h"

namespace lastro {

// Which documents are kept from training: those whose draw, a keyed hash of their content, is below the share; so neither order nor place
// decides. At least one document is held out where two or more differ, and at least one is not.
class HeldOutRule {
 public:
  // Called by all ranks together; looks at every text document that is left.
  HeldOutRule(BuildState& state);
  bool holds_out(const Digest& digest) const { return draw_of(digest) < limit_; }
  std::int64_t documents() const { return documents_; }   // text documents that are left, over all ranks
  bool can_part() const { return can_part_; }             // two of them differ

 private:
  std::int64_t draw_of(const Digest& digest) const;   // in [0, 2^62)

  std::uint64_t seed_;
  std::int64_t limit_ = 0;
  std::int64_t documents_ = 0;
  bool can_part_ = false;
};

}   // namespace lastro
