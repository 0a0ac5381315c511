#include "data/ingest.h"

#include <algorithm>
#include <string>

#include "core/hash.h"
#include "data/source_documents.h"
#include "data/together.h"
#include "domain/errors.h"

namespace lastro {
namespace {

constexpr std::int64_t malformed_in_any_case = 10;

// Documents as they were read, cleaned on all threads, then kept in order.
class Ingestion {
 public:
  Ingestion(BuildState& state, std::vector<Ingested::OfSource>& counts) : state_(state), counts_(counts) {}

  void read(const Sources& sources, std::uint32_t first_source, std::vector<ReadReport::OfSource>& reports) {
    const SourceDocuments documents(sources);
    const Collective& ranks = state_.run.ranks;
    const auto visit = [&](const DocumentPiece& piece) {
      DocumentRecord record;
      record.id = {first_source + static_cast<std::uint32_t>(piece.source), 0, static_cast<std::uint64_t>(piece.document)};
      batch_.add(record, piece.bytes);
      if (static_cast<std::int64_t>(batch_.bytes() + batch_.size() * sizeof(DocumentRecord)) >= state_.batch_bytes()) keep_batch();
    };
    ReadReport report = documents.read_and_report(ranks.rank().value, ranks.size(), visit, state_.run.stop_requested);
    keep_batch();
    std::move(report.sources.begin(), report.sources.end(), std::back_inserter(reports));
  }

 private:
  struct Cleaned {
    std::string text;
    Digest digest;
    CleanCounts counts;
  };

  void keep_batch() {
    std::vector<Cleaned> cleaned(batch_.size());   // a new one: kept, its strings would grow to the longest document each
    for_each_parallel(state_.run.workers, batch_, [&](int, std::size_t i) {
      clean_text(batch_.text(i), cleaned[i].text, cleaned[i].counts);
      cleaned[i].digest = sha256(cleaned[i].text);
    });
    for (std::size_t i = 0; i < batch_.size(); ++i) keep(batch_.record(i), cleaned[i]);
    documents_ += static_cast<std::int64_t>(batch_.size());
    batch_.clear();
    state_.run.tracker.progress(documents_, 0, "documents", "read");
  }

  void keep(DocumentRecord record, const Cleaned& cleaned) {
    record.digest = cleaned.digest;
    counts_[record.id.source].cleaned += cleaned.counts;
    const std::int64_t fewest = state_.is_evaluation(record.id) ? 1 : state_.settings.min_document_bytes;
    if (static_cast<std::int64_t>(cleaned.text.size()) < fewest) {
      Removal removal;
      removal.id = record.id;
      removal.digest = record.digest;
      removal.rule = Rule::too_short;
      return state_.log.add(removal);
    }
    counts_[record.id.source].clean_bytes += static_cast<std::int64_t>(cleaned.text.size());
    state_.store.add(record, cleaned.text);
  }

  BuildState& state_;
  std::vector<Ingested::OfSource>& counts_;
  DocumentBatch batch_;
  std::int64_t documents_ = 0;
};

// The first malformed rows of each source over all ranks, one a line, in the order of files and rows.
std::vector<std::string> first_malformed(Collective& ranks, const std::vector<ReadReport::OfSource>& reports) {
  std::vector<std::string> named;
  for (const auto& source : reports) {
    std::string mine;
    for (const auto& row : source.first_malformed) mine += std::to_string(row.file) + ' ' + std::to_string(row.row) + ' ' + row.text + '\n';
    std::vector<MalformedRow> rows;
    for (const std::string& text : all_gather_text(ranks, mine)) {
      std::size_t begin = 0;
      for (std::size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
        const std::string line = text.substr(begin, end - begin);
        const std::size_t first = line.find(' '), second = line.find(' ', first + 1);
        rows.push_back({std::stoull(line), std::stoll(line.substr(first + 1)), line.substr(second + 1)});
      }
    }
    std::sort(rows.begin(), rows.end());
    std::string text;
    for (std::size_t i = 0; i < std::min(rows.size(), ReadReport::named); ++i) text += (i == 0 ? "" : "; ") + rows[i].text;
    named.push_back(std::move(text));
  }
  return named;
}

void sum_over_ranks(Collective& ranks, std::vector<Ingested::OfSource>& sources) {
  std::vector<std::int64_t> sums;
  for (const auto& s : sources)
    for (const std::int64_t count : {s.documents, s.malformed, s.clean_bytes, s.cleaned.invalid_bytes, s.cleaned.control_bytes})
      sums.push_back(count);
  ranks.all_sum(sums);
  for (std::size_t i = 0; i < sources.size(); ++i) sources[i] = {sums[5 * i], sums[5 * i + 1], sums[5 * i + 2], {sums[5 * i + 3], sums[5 * i + 4]}};
}

void tell_and_judge(const BuildState& state, const Ingested& ingested, const std::vector<std::string>& malformed) {
  for (std::size_t i = 0; i < ingested.sources.size(); ++i) {
    const auto& counts = ingested.sources[i];
    const std::string& name = state.source_of({static_cast<std::uint32_t>(i), 0, 0}).name;
    if (counts.cleaned.invalid_bytes > 0)
      state.run.tracker.event("source " + name + ": " + std::to_string(counts.cleaned.invalid_bytes) + " bytes are not UTF-8 (read as Windows-1252)");
    if (counts.cleaned.control_bytes > 0)
      state.run.tracker.event("source " + name + ": " + std::to_string(counts.cleaned.control_bytes) + " control bytes removed");
    if (counts.malformed == 0) continue;
    const std::int64_t rows = counts.documents + counts.malformed;
    const std::string text =
        "source " + name + ": " + std::to_string(counts.malformed) + " of " + std::to_string(rows) + " rows are malformed: " + malformed[i];
    const bool is_too_many =
        counts.malformed > malformed_in_any_case && static_cast<double>(counts.malformed) > state.settings.malformed * static_cast<double>(rows);
    if (is_too_many)
      throw ContractError(
          text + " (more than the share that settings.malformed allows). Mend the file or its text_field, or raise the limit", name,
          "at most " + std::to_string(static_cast<std::int64_t>(state.settings.malformed * static_cast<double>(rows))) + " malformed rows",
          std::to_string(counts.malformed));
    state.run.tracker.event(text);
  }
}

}   // namespace

Ingested ingest(BuildState& state) {
  Ingested ingested{std::vector<Ingested::OfSource>(state.text.size() + state.evaluation.size())};
  std::vector<ReadReport::OfSource> reports;
  together(state.run, [&] {
    Ingestion ingestion(state, ingested.sources);
    ingestion.read(state.text, 0, reports);
    ingestion.read(state.evaluation, static_cast<std::uint32_t>(state.text.size()), reports);
    state.store.close();
  });
  for (std::size_t i = 0; i < reports.size(); ++i) {
    ingested.sources[i].documents = reports[i].documents;
    ingested.sources[i].malformed = reports[i].malformed;
  }
  sum_over_ranks(state.run.ranks, ingested.sources);
  tell_and_judge(state, ingested, first_malformed(state.run.ranks, reports));
  return ingested;
}

}   // namespace lastro
