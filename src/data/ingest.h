#pragma once

#include <cstdint>
#include <vector>

#include "data/build_state.h"
#include "data/clean.h"

namespace lastro {

// What was read, over all ranks.
struct Ingested {
  struct OfSource {
    std::int64_t documents = 0;
    std::int64_t malformed = 0;
    std::int64_t clean_bytes = 0;   // of documents that are long enough
    CleanCounts cleaned;
  };
  std::vector<OfSource> sources;   // text sources, then evaluation sources
};

// Reads this rank's documents, cleans them and puts them into the store; documents that are too short are removed (evaluation items: those
// without a word). Tells of malformed rows; throws ContractError when a source has too many.
Ingested ingest(BuildState& state);

}   // namespace lastro
