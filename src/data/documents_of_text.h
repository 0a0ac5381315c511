#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "domain/source.h"

namespace lastro {

// What a stream of text is cut into: documents to train on, or the items of an evaluation set, each to be looked for on its own.
enum class CutInto { documents, items };

// How a stream of text becomes documents. The rule looks at the text alone, from its start, so that documents are the same however
// many ranks read it:
//   text      paragraphs (parted by blank lines) are gathered until a document has `document_bytes` or more
//   markdown  the same, but a heading begins a new document once there are `section_bytes`, and nothing is cut inside a fenced block
//   dictd     an entry a document: it begins at an unindented line after a blank one
// And items:
//   text      a paragraph an item
//   markdown  the same, but headings and list entries are items of their own, and nothing is cut inside a fenced block
//   dictd     an entry an item
// A document that reaches `longest_document_bytes` is cut: behind the last newline in its second half, else behind the last space there,
// else between two characters. So a line of any length needs a bounded memory.
inline constexpr std::size_t document_bytes = 2048;
inline constexpr std::size_t section_bytes = 512;
inline constexpr std::size_t longest_document_bytes = 64 * 1024;

// Where to cut a text that is longer than a document may be: in (0, longest_document_bytes].
std::size_t cut_of(std::string_view text);

// Receives a document and the offset of its first byte in the stream.
using DocumentVisit = std::function<void(std::int64_t offset, std::string_view text)>;

// Takes the bytes of one file in pieces of any size and gives its documents, in order.
class DocumentAssembler {
 public:
  DocumentAssembler(SourceFormat format, CutInto cut, DocumentVisit visit);   // text, markdown or dictd
  void add(std::string_view bytes);
  void finish();

 private:
  void add_line(std::string_view line);   // with its newline, if it has one
  bool begins_document(std::string_view line) const;
  bool begins_item(std::string_view line) const;
  void note(std::string_view line);
  void emit(std::size_t bytes);

  SourceFormat format_;
  CutInto cut_;
  DocumentVisit visit_;
  std::string line_;                 // the start of a line whose end is not there yet
  bool line_is_continued_ = false;   // line_ continues a line that was too long to hold
  std::string document_;
  std::int64_t offset_ = 0;   // of document_
  bool after_blank_ = true;
  bool after_heading_ = false;
  char fence_ = 0;   // markdown: the character of the open fence
};

}   // namespace lastro
