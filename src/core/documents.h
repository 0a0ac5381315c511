#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

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

// The documents of some sources, as text taken out of its container (decompressed, unpacked), not cleaned.
class DocumentStream {
 public:
  virtual ~DocumentStream() = default;

  // Visits the documents of part `part` of `parts`. Every document belongs to exactly one part, whole; which one follows from the sources
  // and `parts` alone. Holds no more than a piece (a few MiB) in memory. Threads may read different parts at the same time.
  virtual void read(int part, int parts, const std::function<void(const DocumentPiece&)>& visit) const = 0;
};

// A port: data has the implementation. Throws EnvironmentError when a file cannot be read and ContractError when it is not what was planned.
std::unique_ptr<DocumentStream> open_documents(const Sources& sources);

}   // namespace lastro
