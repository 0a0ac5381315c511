#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "core/stage.h"
#include "data/dataset_settings.h"
#include "data/document_record.h"
#include "data/document_store.h"
#include "data/exchange.h"
#include "data/spill_sorter.h"

namespace lastro {

// What was removed (or reported) on this rank so far.
class RemovalLog {
 public:
  RemovalLog(std::filesystem::path file, std::int64_t memory_bytes, std::size_t sources);
  void add(const Removal& removal);
  // [source][rule], of this rank.
  const std::vector<std::array<std::int64_t, rules>>& counts() const { return counts_; }
  SpillSorter<Removal>& sorted() { return removals_; }

 private:
  SpillSorter<Removal> removals_;
  std::vector<std::array<std::int64_t, rules>> counts_;
};

// One rank's part of a dataset in the making. Phases take it one after the other; each is called by all ranks together.
struct BuildState {
  RunContext& run;
  const DatasetSettings& settings;
  const Sources& text;
  const Sources& evaluation;
  std::filesystem::path folder;   // for temporary files, shared by all ranks
  DocumentStore store;
  RemovalLog log;
  std::int64_t items = 0;   // evaluation items in the store, behind its documents; they stay

  bool is_evaluation(const DocumentId& id) const { return id.source >= text.size(); }
  const Source& source_of(const DocumentId& id) const { return is_evaluation(id) ? evaluation[id.source - text.size()] : text[id.source]; }
  std::int64_t batch_bytes() const;

  // Tells how many documents a phase is through that has visited `done` entries of the store.
  void tell_progress(std::int64_t done, std::string_view detail) const;
};

// Ends a phase: logs the removals that ranks sent to this one and takes their documents out of its store; of several for a document the
// first counts. Called inside together(), after the exchange was closed by all.
void take_out(BuildState& state, Exchange<Removal>& removals);

}   // namespace lastro
