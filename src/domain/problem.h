#pragma once

#include <string>
#include <vector>

#include "domain/node.h"

namespace lastro {

// Something wrong with a file that a person wrote. All of a file's problems are reported at once.
struct Problem {
  std::string file;
  Mark mark;
  std::string message;   // problem (why) suggestion; lower case, values shown

  // "manifests/dpo.yaml:9:12: beta=-0.1 (must be positive; it scales the KL penalty)"
  std::string to_string() const;
  bool operator==(const Problem&) const = default;
};
using Problems = std::vector<Problem>;

}   // namespace lastro
