#pragma once

#include <string>
#include <vector>

#include "domain/node.h"

namespace lastro {

// One value that differs between two trees; null where one has none.
struct Difference {
  std::string path;   // "stages.04_pretrain.settings.width"
  Node was;
  Node is;

  // "settings.width was 128, is 64"
  std::string to_string() const;
};

// Every leaf that differs, in the order of `was`, then what only `is` has. Lists of unequal length differ as a whole.
std::vector<Difference> differences(const Node& was, const Node& is);

// The differences of two records (manifest.out.yaml) that equal runs would not have: all but time, cost, what may differ in any case, and the
// state of the run itself.
std::vector<Difference> record_differences(const Node& reference, const Node& record);

}   // namespace lastro
