#include "data/ingest.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <sstream>
#include <string>

#include "core/hash.h"
#include "data/malformed_rows.h"
#include "data/source_documents.h"
#include "data/together.h"
#include "data/utf16.h"
#include "data/words.h"

namespace lastro {
namespace {

// By source: the files, by their places in it, that hold bytes which are no text.
using OddFiles = std::vector<std::set<std::size_t>>;

// Documents as they were read, cleaned on all threads, then kept in order.
class Ingestion {
 public:
  Ingestion(BuildState& state, std::vector<Ingested::OfSource>& counts, OddFiles& odd_files)
      : state_(state), counts_(counts), odd_files_(odd_files) {}

  void read(const Sources& sources, CutInto cut, std::uint32_t first_source, std::vector<ReadReport::OfSource>& reports) {
    const SourceDocuments documents(sources, cut);
    const Collective& ranks = state_.run.ranks;
    const auto visit = [&](const DocumentPiece& piece) {
      DocumentRecord record;
      record.id = {first_source + static_cast<std::uint32_t>(piece.source), 0, static_cast<std::uint64_t>(piece.document)};
      batch_.add(record, piece.bytes);
      if (static_cast<std::int64_t>(batch_.bytes() + batch_.size() * sizeof(DocumentRecord)) >= state_.batch_bytes()) keep_batch();
    };
    ReadReport report = documents.read(ranks.rank().value, ranks.size(), visit, state_.run.stop_requested);
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
    batch_.clear();
    state_.run.tracker.progress(documents_, 0, "documents", "read");
  }

  void keep(DocumentRecord record, const Cleaned& cleaned) {
    record.digest = cleaned.digest;
    if (!state_.is_evaluation(record.id)) ++documents_;
    counts_[record.id.source].cleaned += cleaned.counts;
    if (cleaned.counts.invalid_bytes + cleaned.counts.control_bytes > 0) odd_files_[record.id.source].insert(record.id.document >> file_shift);
    if (is_too_short(record, cleaned.text)) {
      Removal removal;
      removal.id = record.id;
      removal.digest = record.digest;
      removal.rule = Rule::too_short;
      return state_.log.add(removal);
    }
    counts_[record.id.source].clean_bytes += static_cast<std::int64_t>(cleaned.text.size());
    if (state_.is_evaluation(record.id)) ++state_.items;
    state_.store.add(record, cleaned.text);
  }

  // An item without a word ("* * *") could be found nowhere, and would thin out the share of those that are.
  bool is_too_short(const DocumentRecord& record, const std::string& text) const {
    if (state_.is_evaluation(record.id)) return normalised_words(text).empty();
    return static_cast<std::int64_t>(text.size()) < state_.settings.min_document_bytes;
  }

  BuildState& state_;
  std::vector<Ingested::OfSource>& counts_;
  OddFiles& odd_files_;
  DocumentBatch batch_;
  std::int64_t documents_ = 0;
};

void sum_over_ranks(Collective& ranks, std::vector<Ingested::OfSource>& sources) {
  std::vector<std::int64_t> sums;
  for (const auto& s : sources)
    for (const std::int64_t count : {s.documents, s.malformed, s.clean_bytes, s.cleaned.invalid_bytes, s.cleaned.control_bytes})
      sums.push_back(count);
  ranks.all_sum(sums);
  for (std::size_t i = 0; i < sources.size(); ++i) sources[i] = {sums[5 * i], sums[5 * i + 1], sums[5 * i + 2], {sums[5 * i + 3], sums[5 * i + 4]}};
}

// "a.txt, b.txt and 7 more", over all ranks.
std::string names_of(Collective& ranks, const Source& source, const std::set<std::size_t>& mine) {
  constexpr std::size_t most_named = 3;
  std::string places;
  for (const std::size_t file : mine) places += std::to_string(file) + ' ';
  std::set<std::size_t> files;
  for (const std::string& text : all_gather_text(ranks, places)) {
    std::istringstream stream(text);
    for (std::size_t file; stream >> file;) files.insert(file);
  }
  std::string names;
  std::size_t named = 0;
  for (const std::size_t file : files)
    if (named < most_named) names += (named++ == 0 ? "" : ", ") + source.files[file].path.string();
  return names + (files.size() > named ? " and " + std::to_string(files.size() - named) + " more" : "");
}

// Bytes that no UTF-8 text has are counted, named, and bounded, beside the bytes of the cleaned text: of Latin-1 texts one in twenty is odd
// (Icelandic: one in nine), of pictures, programs, UTF-16 and other alphabets' encodings two in five or more.
void judge_odd_bytes(BuildState& state, const Ingested& ingested, const OddFiles& odd_files) {
  constexpr std::int64_t odd_in_any_case = 100;
  for (std::size_t i = 0; i < ingested.sources.size(); ++i) {
    const auto& counts = ingested.sources[i];
    const auto [invalid, control] = counts.cleaned;
    if (invalid + control == 0) continue;
    const Source& source = state.source_of({static_cast<std::uint32_t>(i), 0, 0});
    std::string text = "source " + source.name + ": ";
    if (invalid > 0) text += std::to_string(invalid) + " bytes are not UTF-8 (read as Windows-1252)";
    if (control > 0) text += (invalid > 0 ? ", " : "") + std::to_string(control) + " control bytes, NUL among them, are left out";
    text += ", in " + names_of(state.run.ranks, source, odd_files[i]);
    if (invalid + control > std::max(odd_in_any_case, counts.clean_bytes / 4)) {
      const std::string utf16 = words_for_utf16(source);
      throw ContractError(text + " (so many that it is no text, or is written in another encoding). " +
                              (utf16.empty() ? "Convert it to UTF-8, as with `iconv -f ENCODING -t UTF-8`" : utf16) +
                              ", or take the file out of sources." + source.name,
                          source.name, "at most a quarter of odd bytes",
                          std::to_string(invalid + control) + " beside " + std::to_string(counts.clean_bytes));
    }
    state.run.tracker.event(text);
  }
}

}   // namespace

Ingested ingest(BuildState& state) {
  Ingested ingested{std::vector<Ingested::OfSource>(state.text.size() + state.evaluation.size())};
  std::vector<ReadReport::OfSource> reports;
  OddFiles odd_files(ingested.sources.size());
  together(state.run, [&] {
    Ingestion ingestion(state, ingested.sources, odd_files);
    ingestion.read(state.text, CutInto::documents, 0, reports);
    ingestion.read(state.evaluation, CutInto::items, static_cast<std::uint32_t>(state.text.size()), reports);
    state.store.close();
  });
  for (std::size_t i = 0; i < reports.size(); ++i) {
    ingested.sources[i].documents = reports[i].documents;
    ingested.sources[i].malformed = reports[i].malformed;
  }
  sum_over_ranks(state.run.ranks, ingested.sources);
  judge_odd_bytes(state, ingested, odd_files);
  Sources sources = state.text;
  sources.insert(sources.end(), state.evaluation.begin(), state.evaluation.end());
  judge_malformed_rows(state.run, sources, reports, state.settings.malformed);
  return ingested;
}

}   // namespace lastro
