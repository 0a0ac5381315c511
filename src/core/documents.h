#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "domain/source.h"

namespace lastro {

// A document, or a piece of a long one. The pieces of a document come one after the other, in order, with no other document between.
struct DocumentPiece {
  int source = 0;              // index into the sources that the stream was opened with
  std::int64_t document = 0;   // names the document within its source; the same for any number of parts
  std::string_view bytes;      // any bytes; valid during the visit only; a piece may end anywhere, even inside a character
  bool is_first = true;
  bool is_last = true;
};

// A row of a source that holds no text.
struct MalformedRow {
  std::size_t file;   // its place in the source
  std::int64_t row;   // counts from 1
  std::string text;   // "rows.jsonl:17: no field "text""
  auto operator<=>(const MalformedRow&) const = default;
};

// What became of the rows of each source (of a part of them). Sources that have no rows count documents alone.
struct ReadReport {
  static constexpr std::size_t named = 5;   // malformed rows of each source that are named

  struct OfSource {
    std::int64_t documents = 0;   // given to the visitor
    std::int64_t rows = 0;        // that are not blank
    std::int64_t malformed = 0;
    std::vector<MalformedRow> first_malformed;   // by file and row
  };
  std::vector<OfSource> sources;
};

// The documents of some sources, as text taken out of its container (decompressed, unpacked), not cleaned.
class DocumentStream {
 public:
  virtual ~DocumentStream() = default;

  // Visits the documents of part `part` of `parts`. Every document belongs to exactly one part, whole; which one follows from the sources
  // and `parts` alone. Holds no more than a piece (a few MiB) in memory. Threads may read different parts at the same time.
  virtual ReadReport read(int part, int parts, const std::function<void(const DocumentPiece&)>& visit) const = 0;
};

// A port: data has the implementation. Throws EnvironmentError when a file cannot be read and ContractError when it is not what was planned.
std::unique_ptr<DocumentStream> open_documents(const Sources& sources);

}   // namespace lastro
