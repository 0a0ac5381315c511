#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "core/checkpoint.h"
#include "core/collective.h"
#include "core/tracker.h"
#include "domain/artifact.h"
#include "domain/source.h"
#include "domain/workers.h"

namespace lastro {

// What a stage may touch while it runs. Every rank has one; `output` and `work` are the same shared folders on all ranks.
struct RunContext {
  Collective& ranks;
  Workers& workers;
  Tracker& tracker;
  std::uint64_t seed;
  Digest stage_key;
  std::filesystem::path output;           // empty and writable: the artifact's files go here, by any rank, each file by one rank
  std::filesystem::path work;             // for temporary files; kept over a restart of the same stage, deleted after its commit
  Checkpoints& checkpoints;               // training state of this stage, in <run>/checkpoints
  std::int64_t memory_limit_bytes;        // for this rank
  std::function<bool()> stop_requested;   // true after SIGTERM, SIGUSR1 or Ctrl-C on this rank; ranks agree on it themselves

  bool is_asked_to_stop() const { return stop_requested && stop_requested(); }
};

// What a stage gives back, equal on every rank. The files are in RunContext::output.
struct StageResult {
  Node summary = Node::mapping();    // key numbers for the record, e.g. {documents, tokens}; equal in equal runs
  Node measured = Node::mapping();   // what may differ between equal runs (tokens/s, peak memory); stays out of every digest
  std::optional<Digest> content;     // the artifact's digest where it is not that of its files (a checkpoint's logical tiles)
};

}   // namespace lastro
