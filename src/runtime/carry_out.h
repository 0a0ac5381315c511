#pragma once

#include <functional>
#include <memory>

#include "runtime/stage_order.h"

namespace lastro {

// What a rank needs to carry out stages.
struct StageMachine {
  Collective& ranks;
  Workers& workers;
  Store& store;
  const StageRegistry& registry;
  Witness witness;   // files_in is filled by carry_out
  std::function<std::unique_ptr<Checkpoints>(const StageOrder& order, Tracker& tracker)> open_checkpoints;
  std::function<bool()> stop_requested;
};

struct MadeArtifact {
  ArtifactRecord record;
  Node measured = Node::mapping();
};

// Every rank calls it; rank 0 brings the order and the nonce it wrote into the run directory, others pass anything. The ranks agree on order and
// inputs, run the stage and hash what it made, each its part. The artifact is not committed yet: that is rank 0's, with the stage's time and cost.
// `begins` is told the order on every rank before the stage runs and gives the tracker that the stage reports to.
MadeArtifact carry_out(StageMachine& machine, const StageOrder& order_of_root, std::string_view nonce_of_root,
                       const std::function<Tracker&(const StageOrder& order)>& begins);

// The files below a folder with their digests, sorted by name. Every rank calls it; file i is hashed by rank i mod N.
std::vector<ArtifactFile> hash_files(Collective& ranks, const std::filesystem::path& folder);

}   // namespace lastro
