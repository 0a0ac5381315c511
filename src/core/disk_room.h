#pragma once

#include <optional>
#include <string>

#include "core/plan.h"

namespace lastro {

// The disk as a run finds it.
struct DiskRoom {
  std::string store;   // the folders' names
  std::string run;
  std::int64_t store_free_bytes = 0;
  std::int64_t run_free_bytes = 0;
  bool is_one_file_system = false;      // both numbers are of the same room
  std::int64_t run_bytes_already = 0;   // that an earlier, unfinished run has written into its directory
};

// What does not fit, with numbers and what helps; empty when all does. A word of warning and no refusal: the need is an estimate, and a disk that is
// full ends a stage or a save, but loses nothing that was made.
std::optional<std::string> disk_shortage(const DiskNeed& need, const DiskRoom& room);

}   // namespace lastro
