#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/documents.h"
#include "domain/source.h"

namespace lastro {

// A jsonl row that holds no text.
struct MalformedRow {
  std::size_t file;   // its place in the source
  std::int64_t row;   // counts from 1
  std::string text;   // "rows.jsonl:17: no field "text""
  auto operator<=>(const MalformedRow&) const = default;
};

// What became of the rows of a source (of a part of them).
struct ReadReport {
  static constexpr std::size_t named = 5;   // malformed rows of each source that are named

  struct OfSource {
    std::int64_t documents = 0;   // given to the visitor
    std::int64_t malformed = 0;
    std::vector<MalformedRow> first_malformed;   // by file and row
  };
  std::vector<OfSource> sources;
};

// The documents of a manifest's sources, as documents_of_text.h and rows_of_jsonl.h cut them. Part p of n takes blocks of documents in
// turn, or whole files where there are many; so a single large file is shared, and what a document is does not depend on n.
// Every part reads every byte of a shared file, and holds its digest against the planned one.
class SourceDocuments final : public DocumentStream {
 public:
  explicit SourceDocuments(Sources sources);

  void read(int part, int parts, const std::function<void(const DocumentPiece&)>& visit) const override;

  // The same, telling what was malformed. `document` of a piece = its file's place in the source << 40 | where it begins in the file's
  // content (uncompressed); of a story, its number. Each document is one piece. Stops early, without checks, when `is_enough` says so.
  ReadReport read_and_report(int part, int parts, const std::function<void(const DocumentPiece&)>& visit,
                             const std::function<bool()>& is_enough = {}) const;

  const Sources& sources() const { return sources_; }

 private:
  Sources sources_;
};

constexpr int file_shift = 40;

}   // namespace lastro
