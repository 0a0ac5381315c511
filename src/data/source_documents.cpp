#include "data/source_documents.h"

#include <algorithm>
#include <utility>

#include "data/byte_stream.h"
#include "data/hash64.h"
#include "data/questions.h"
#include "data/rows_of_jsonl.h"
#include "data/stories.h"

namespace lastro {
namespace {

constexpr std::int64_t block_documents = 64;
constexpr std::size_t read_bytes = 256 * 1024;

// Which documents of a file a part takes.
class Turns {
 public:
  Turns(int part, int parts, std::size_t file, std::size_t files)
      : part_(part), parts_(parts), file_(static_cast<std::int64_t>(file)), whole_files_(files >= 4 * static_cast<std::size_t>(parts)) {}

  bool takes_nothing() const { return whole_files_ && file_ % parts_ != part_; }
  bool takes(std::int64_t number) const { return whole_files_ ? !takes_nothing() : (number / block_documents + file_) % parts_ == part_; }

 private:
  int part_;
  int parts_;
  std::int64_t file_;
  bool whole_files_;
};

// Whether a document belongs to the share of its source that is read. By content, so that neither order nor place decides.
bool is_in_share(double share, std::string_view text) { return share >= 1.0 || static_cast<double>(mix64(hash64(text) + 1) >> 11) * 0x1p-53 < share; }

// One source's documents on their way to the visitor.
class Reading {
 public:
  Reading(const Source& source, CutInto cut, int index, const std::function<void(const DocumentPiece&)>& visit,
          const std::function<bool()>& is_enough, ReadReport::OfSource& report)
      : source_(source), cut_(cut), index_(index), visit_(visit), is_enough_(is_enough), report_(report) {}

  void read(int part, int parts) {
    if (source_.format == SourceFormat::stories) return read_generated(story, stories_in(source_.generated_bytes), Turns(part, parts, 0, 1));
    if (source_.format == SourceFormat::questions) return read_generated(question, questions_in(source_.generated_bytes), Turns(part, parts, 0, 1));
    for (std::size_t file = 0; file < source_.files.size() && !is_enough(); ++file) {
      const Turns turns(part, parts, file, source_.files.size());
      if (turns.takes_nothing()) continue;
      if (source_.format == SourceFormat::jsonl)
        read_rows(file, turns);
      else
        read_text(file, turns);
    }
  }

 private:
  bool is_enough() const { return is_enough_ && is_enough_(); }

  void give(std::int64_t document, std::string_view text) {
    if (!is_in_share(source_.share, text)) return;
    ++report_.documents;
    visit_({index_, document, text, true, true});
  }

  void read_generated(std::string (*make)(std::uint64_t seed, std::int64_t number), std::int64_t count, const Turns& turns) {
    for (std::int64_t number = 0; number < count && !is_enough(); ++number)
      if (turns.takes(number)) give(number, make(source_.generated_seed, number));
  }

  template <class Taker>
  void pour(std::size_t file, Taker& taker) {
    ByteStream stream(source_.files[file]);
    std::vector<std::byte> bytes(read_bytes);
    while (const std::size_t count = stream.read(bytes)) {
      taker.add({reinterpret_cast<const char*>(bytes.data()), count});
      if (is_enough()) return;
    }
    taker.finish();
  }

  void read_text(std::size_t file, const Turns& turns) {
    std::int64_t number = 0;
    DocumentAssembler documents(source_.format, cut_, [&](std::int64_t offset, std::string_view text) {
      if (turns.takes(number++)) give(static_cast<std::int64_t>(file) << file_shift | offset, text);
    });
    pour(file, documents);
  }

  void read_rows(std::size_t file, const Turns& turns) {
    RowSplitter rows([&](const RowSplitter::Row& row) {
      if (!turns.takes(row.number)) return;
      ++report_.rows;
      RowText parsed = row.is_too_long ? RowText{std::nullopt, "a row of more than " + std::to_string(longest_row_bytes >> 20) + " MiB"}
                                       : text_of_row(row.json, source_.text_field);
      if (!parsed.text) return note_malformed(file, row.number, parsed.problem);
      give_row(static_cast<std::int64_t>(file) << file_shift | row.offset, *parsed.text);
    });
    pour(file, rows);
  }

  // A row's text may be longer than a document: its parts are numbered from the row's place on, and it has at least a byte for each.
  void give_row(std::int64_t document, std::string_view text) {
    while (text.size() > longest_document_bytes) {
      const std::size_t cut = cut_of(text);
      give(document++, text.substr(0, cut));
      text.remove_prefix(cut);
    }
    if (!text.empty()) give(document, text);
  }

  void note_malformed(std::size_t file, std::int64_t row, const std::string& problem) {
    ++report_.malformed;
    if (report_.first_malformed.size() < ReadReport::named)
      report_.first_malformed.push_back({file, row, source_.files[file].path.string() + ":" + std::to_string(row) + ": " + problem});
  }

  const Source& source_;
  CutInto cut_;
  int index_;
  const std::function<void(const DocumentPiece&)>& visit_;
  const std::function<bool()>& is_enough_;
  ReadReport::OfSource& report_;
};

}   // namespace

SourceDocuments::SourceDocuments(Sources sources, CutInto cut) : sources_(std::move(sources)), cut_(cut) {}

ReadReport SourceDocuments::read(int part, int parts, const std::function<void(const DocumentPiece&)>& visit,
                                 const std::function<bool()>& is_enough) const {
  ReadReport report{std::vector<ReadReport::OfSource>(sources_.size())};
  for (std::size_t s = 0; s < sources_.size(); ++s)
    Reading(sources_[s], cut_, static_cast<int>(s), visit, is_enough, report.sources[s]).read(part, parts);
  return report;
}

std::unique_ptr<DocumentStream> open_documents(const Sources& sources) { return std::make_unique<SourceDocuments>(sources); }

}   // namespace lastro
