#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/run_access.h"
#include "core/store.h"

namespace lastro {

// Something that is not as it was written, and what mends it.
struct Finding {
  Damage damage;
  std::string remedy;
};

struct Findings {
  std::vector<Finding> damages;
  std::vector<std::string> unfinished;   // saves of checkpoints that were interrupted: nothing is lost by them
  std::int64_t artifacts = 0;
  std::int64_t checkpoints = 0;
  std::int64_t sources = 0;   // that are read from files
};

// Hashes again what a run names: the files of its sources, every artifact and record of its store, its checkpoints.
Findings verify_run(const OpenedRun& run);

// What the sizes of files alone tell, in microseconds: of its stages' artifacts, and of the newest verified checkpoint while a stage may go on from
// it. `is_at_work`: a process writes to the run, so checkpoints are left out.
std::vector<Finding> glance_at_run(const OpenedRun& run, bool is_at_work);

void print(const std::vector<Finding>& damages);
Node to_node(const std::vector<Finding>& damages);

}   // namespace lastro
