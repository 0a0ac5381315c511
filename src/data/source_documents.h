#pragma once

#include <functional>

#include "core/documents.h"
#include "data/documents_of_text.h"
#include "domain/source.h"

namespace lastro {

// The documents of a manifest's sources, as documents_of_text.h and rows_of_jsonl.h cut them. Part p of n takes blocks of documents in
// turn, or whole files where there are many; so a single large file is shared, and what a document is does not depend on n.
// Every part reads every byte of a shared file, and holds its digest against the planned one.
class SourceDocuments final : public DocumentStream {
 public:
  explicit SourceDocuments(Sources sources, CutInto cut = CutInto::documents);

  // `document` of a piece = its file's place in the source << 40 | where it begins in the file's content (uncompressed); of what is
  // generated, its number. Each document is one piece.
  ReadReport read(int part, int parts, const std::function<void(const DocumentPiece&)>& visit) const override { return read(part, parts, visit, {}); }

  // The same, but it stops early, without checks, when `is_enough` says so.
  ReadReport read(int part, int parts, const std::function<void(const DocumentPiece&)>& visit, const std::function<bool()>& is_enough) const;

  const Sources& sources() const { return sources_; }

 private:
  Sources sources_;
  CutInto cut_;
};

constexpr int file_shift = 40;

}   // namespace lastro
