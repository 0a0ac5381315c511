#include "text/count_documents.h"

#include <algorithm>
#include <numeric>

#include "core/random.h"
#include "domain/errors.h"
#include "text/pretokenizer.h"

namespace lastro {
namespace {

// Ranks may be asked at different moments: they meet and leave together.
void leave_if_any_stops(RunContext& run, bool stopped) {
  std::int64_t any[1] = {stopped};
  run.ranks.all_max(any);
  if (any[0]) throw Preempted("stopped while counting pre-tokens (nothing of this stage is kept) run the same command again");
}

void add(std::vector<ReadReport::OfSource>& sums, const std::vector<ReadReport::OfSource>& more) {
  sums.resize(std::max(sums.size(), more.size()));
  for (std::size_t s = 0; s < more.size(); ++s) {
    sums[s].documents += more[s].documents;
    sums[s].rows += more[s].rows;
    sums[s].malformed += more[s].malformed;
    auto& first = sums[s].first_malformed;
    first.insert(first.end(), more[s].first_malformed.begin(), more[s].first_malformed.end());
    std::sort(first.begin(), first.end());
    first.resize(std::min(first.size(), ReadReport::named));
  }
}

// Reads this rank's parts, one a worker.
template <class Visit>
std::vector<ReadReport::OfSource> read_parts(RunContext& run, const DocumentStream& documents, Visit&& visit) {
  struct Stop {};
  std::vector<char> stopped(run.workers.size(), 0);
  std::vector<ReadReport> reports(run.workers.size());
  run.workers.run([&](int worker) {
    const int part = run.ranks.rank().value * run.workers.size() + worker;
    try {
      reports[worker] = documents.read(part, run.ranks.size() * run.workers.size(), [&](const DocumentPiece& piece) {
        visit(worker, piece);
        if (piece.is_last && run.is_asked_to_stop()) throw Stop{};
      });
    } catch (const Stop&) {
      stopped[worker] = 1;
    }
  });
  leave_if_any_stops(run, std::find(stopped.begin(), stopped.end(), 1) != stopped.end());
  std::vector<ReadReport::OfSource> read;
  for (const ReadReport& report : reports) add(read, report.sources);
  return read;
}

std::vector<std::int64_t> bytes_of_sources(RunContext& run, const DocumentStream& documents, std::size_t sources) {
  std::vector<std::vector<std::int64_t>> of_worker(run.workers.size(), std::vector<std::int64_t>(sources, 0));
  read_parts(run, documents,
             [&](int worker, const DocumentPiece& piece) { of_worker[worker][piece.source] += static_cast<std::int64_t>(piece.bytes.size()); });
  std::vector<std::int64_t> bytes(sources, 0);
  for (const auto& mine : of_worker) std::transform(mine.begin(), mine.end(), bytes.begin(), bytes.begin(), std::plus<>());
  run.ranks.all_sum(bytes);
  return bytes;
}

// The fraction that each source gives.
std::vector<double> fractions(RunContext& run, const DocumentStream& documents, const SamplePlan& plan) {
  const std::size_t sources = plan.weights.size();
  if (sources == 1 && plan.sample_bytes == 0) return {1.0};
  const std::vector<std::int64_t> bytes = bytes_of_sources(run, documents, sources);
  const std::int64_t all_bytes = std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0});
  const double wanted = static_cast<double>(plan.sample_bytes > 0 ? plan.sample_bytes : all_bytes);
  double all_weights = 0;
  for (const double weight : plan.weights) all_weights += weight;
  std::vector<double> fractions;
  for (std::size_t s = 0; s < sources; ++s) {
    const double share = plan.weights[s] / all_weights * wanted;
    fractions.push_back(static_cast<double>(bytes[s]) <= share ? 1.0 : share / static_cast<double>(bytes[s]));
  }
  return fractions;
}

// One worker's share of the counting.
class Counting {
 public:
  Counting(std::uint64_t seed, const std::vector<double>& fractions, std::int64_t memory_bytes, std::filesystem::path run_prefix)
      : seed_(seed), fractions_(fractions), counter_(memory_bytes, std::move(run_prefix)), sources_(fractions.size()) {}

  void take(const DocumentPiece& piece) {
    if (piece.is_first) begin(piece);
    sources_[piece.source].bytes += static_cast<std::int64_t>(piece.bytes.size());
    segments_.push(piece.bytes, piece.is_last, [&](std::string_view segment) {
      if (!is_drawn(piece, segment_++)) return;
      sources_[piece.source].documents += !touched_;
      touched_ = true;
      count(piece.source, segment);
    });
  }

  std::vector<std::filesystem::path> finish() { return counter_.finish(); }
  int spills() const { return counter_.spills(); }
  const std::vector<CountedSource>& sources() const { return sources_; }

 private:
  void begin(const DocumentPiece& piece) {
    segments_ = fractions_[piece.source] < 1 ? TextSegments(sampled_segment_bytes) : TextSegments();
    segment_ = 0;
    touched_ = false;
  }

  bool is_drawn(const DocumentPiece& piece, std::uint64_t segment) const {
    const double fraction = fractions_[piece.source];
    if (fraction >= 1) return true;
    const std::uint64_t key = static_cast<std::uint64_t>(piece.source) << 40 | segment;
    return random_unit(seed_, Purpose::vocabulary, static_cast<std::uint64_t>(piece.document), key) < fraction;
  }

  void count(int source, std::string_view segment) {
    sources_[source].counted_bytes += static_cast<std::int64_t>(segment.size());
    for_each_pretoken(segment, [&](std::string_view pretoken) {
      for (std::size_t at = 0; at < pretoken.size(); at += PretokenCounter::longest_counted)
        counter_.add(pretoken.substr(at, PretokenCounter::longest_counted));
    });
  }

  std::uint64_t seed_;
  const std::vector<double>& fractions_;
  PretokenCounter counter_;
  std::vector<CountedSource> sources_;
  TextSegments segments_;
  std::uint64_t segment_ = 0;
  bool touched_ = false;
};

std::filesystem::path rank_file(const RunContext& run, int rank) { return run.work / ("counts-rank-" + std::to_string(rank)); }

std::int64_t table_bytes(const RunContext& run) {
  constexpr std::int64_t without_limit = std::int64_t{1} << 30;
  return (run.memory_limit_bytes > 0 ? run.memory_limit_bytes : without_limit) / 2 / run.workers.size();
}

// The sums of what workers and ranks have seen.
CountedDocuments summed(RunContext& run, const std::vector<Counting>& workers) {
  CountedDocuments counted;
  counted.sources.resize(workers[0].sources().size());
  for (const Counting& worker : workers) {
    counted.spills += worker.spills();
    for (std::size_t s = 0; s < counted.sources.size(); ++s) {
      counted.sources[s].documents += worker.sources()[s].documents;
      counted.sources[s].bytes += worker.sources()[s].bytes;
      counted.sources[s].counted_bytes += worker.sources()[s].counted_bytes;
    }
  }
  std::vector<std::int64_t> sums{counted.spills};
  for (const CountedSource& source : counted.sources) sums.insert(sums.end(), {source.documents, source.bytes, source.counted_bytes});
  run.ranks.all_sum(sums);
  counted.spills = sums[0];
  for (std::size_t s = 0; s < counted.sources.size(); ++s) counted.sources[s] = {sums[1 + 3 * s], sums[2 + 3 * s], sums[3 + 3 * s]};
  return counted;
}

}   // namespace

CountedDocuments count_documents(RunContext& run, const DocumentStream& documents, const SamplePlan& plan, const std::filesystem::path& counts) {
  if (plan.weights.empty()) throw UsageError("a vocabulary without text sources (it is learnt from text) name at least one in inputs.text");
  const std::vector<double> fraction_of_source = fractions(run, documents, plan);
  std::vector<Counting> workers;
  for (int worker = 0; worker < run.workers.size(); ++worker) {
    std::filesystem::path prefix = rank_file(run, run.ranks.rank().value);
    prefix += "-worker-" + std::to_string(worker) + "-run-";
    workers.emplace_back(run.seed, fraction_of_source, table_bytes(run), std::move(prefix));
  }
  auto read = read_parts(run, documents, [&](int worker, const DocumentPiece& piece) { workers[worker].take(piece); });

  CountedDocuments counted = summed(run, workers);
  counted.read = std::move(read);

  std::vector<std::filesystem::path> runs;
  for (Counting& worker : workers)
    for (auto& file : worker.finish()) runs.push_back(std::move(file));
  merge_counts(std::move(runs), rank_file(run, run.ranks.rank().value));
  run.ranks.barrier();
  std::int64_t totals[2] = {0, 0};
  if (run.ranks.is_root()) {
    std::vector<std::filesystem::path> of_ranks;
    for (int rank = 0; rank < run.ranks.size(); ++rank) of_ranks.push_back(rank_file(run, rank));
    const CountTotals merged = merge_counts(std::move(of_ranks), counts);
    totals[0] = merged.distinct;
    totals[1] = merged.pretokens;
  }
  run.ranks.all_sum(totals);
  counted.totals = {totals[0], totals[1]};
  return counted;
}

}   // namespace lastro
