#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/documents.h"
#include "core/stage.h"
#include "text/pretoken_counts.h"

namespace lastro {

constexpr std::size_t sampled_segment_bytes = 8 * 1024;

// A balanced sample: source s gives f_s of its bytes, f_s = min(1, share_s x sample_bytes / bytes_s), share_s = weight_s / all weights. Nothing is
// taken twice; a source that is too short for its share gives all it has. The sample is drawn by seed in segments of 8 KiB (TextSegments), so
// that few long documents are balanced as well as many short ones.
struct SamplePlan {
  std::vector<double> weights;     // one a source
  std::int64_t sample_bytes = 0;   // 0: as many as the sources have together
};

struct CountedSource {
  std::int64_t documents = 0;   // that the sample touches
  std::int64_t bytes = 0;       // the source's, in all
  std::int64_t counted_bytes = 0;
};

struct CountedDocuments {
  std::vector<CountedSource> sources;
  std::vector<ReadReport::OfSource> read;   // by this rank
  CountTotals totals;
  std::int64_t spills = 0;   // tables written out for want of memory, over all ranks; never part of a result
};

// Counts the pre-tokens of a balanced sample of `documents` into the counts file `counts`, over all ranks and workers. Every rank calls it and
// gets the same answer. Memory: half of the run's limit for the tables; the file does not depend on it, nor on how many ranks or workers there
// are. Throws Preempted when a stop is requested.
CountedDocuments count_documents(RunContext& run, const DocumentStream& documents, const SamplePlan& plan, const std::filesystem::path& counts);

}   // namespace lastro
