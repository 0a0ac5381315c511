#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/node.h"

namespace lastro {

// A class of memory (weights, optimizer, activations, ...) of one rank.
struct MemoryShare {
  std::string name;
  std::int64_t bytes = 0;
};

// Something that a stage writes to disk.
struct DiskShare {
  enum class Place {
    store,    // stays in the store
    linked,   // stays in the store; where store and run directory are on one file system, as a link to what lies there
    run,      // stays in the run directory
    work,     // lies in the run directory until the stage ends
  };
  std::string name;
  Place place = Place::store;
  std::int64_t bytes = 0;
};

// The class of memory that the program itself takes, with MPI's buffers where there are several ranks: measured as the resident memory of a rank
// that has allocated nothing of its own.
constexpr std::int64_t program_memory_bytes(int ranks) { return std::int64_t{ranks > 1 ? 32 : 16} << 20; }
inline MemoryShare program_memory(int ranks) { return {"libraries", program_memory_bytes(ranks)}; }

// What a stage will take, computed from its settings alone.
struct Resources {
  std::vector<MemoryShare> memory_per_rank;   // of the rank that takes most
  std::vector<DiskShare> disk;                // by the sources' unpacked size where nothing better is known, which is above the truth for most text
  double flops_6nd = 0;                       // the field's estimate, 6 x parameters x tokens
  double flops = 0;                           // exact, recomputation included; over all ranks
  double other_device_s = 0;                  // work that no count of FLOPs describes, in seconds of one device

  std::int64_t memory_bytes() const {
    std::int64_t sum = 0;
    for (const MemoryShare& share : memory_per_rank) sum += share.bytes;
    return sum;
  }
};

// A stage that another one builds on, however far.
struct UpstreamStage {
  std::string name;
  std::string kind;
  Node settings;                    // complete
  std::optional<Node> summary;      // what came out, where it was made already
  std::uint64_t source_bytes = 0;   // of its own sources, unpacked
};

// What a stage may know when it computes its resources.
struct PlanFacts {
  int ranks = 1;
  int threads_per_rank = 1;
  std::int64_t memory_limit_bytes = 0;   // of one rank; 0: none
  std::uint64_t source_bytes = 0;        // of the stage's own sources, unpacked
  std::vector<UpstreamStage> upstream;   // nearest first

  // What a stage takes that works in whatever room there is: as much as it would like, as far as the limit has it beside the program. Not below
  // 8 MiB, which buffers alone take.
  std::int64_t fitted_memory_bytes(std::int64_t wanted) const {
    constexpr std::int64_t least = std::int64_t{8} << 20;
    const std::int64_t room = memory_limit_bytes > 0 ? memory_limit_bytes - program_memory_bytes(ranks) : wanted + least;
    return std::max(least, std::min(wanted + least, room));
  }

  // The nearest stage of that kind; null when there is none.
  const UpstreamStage* find(std::string_view kind) const {
    for (const UpstreamStage& stage : upstream)
      if (stage.kind == kind) return &stage;
    return nullptr;
  }
};

}   // namespace lastro
