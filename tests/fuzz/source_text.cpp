// A source's text: rows and documents are the same whatever pieces the bytes come in, and a row is text or a reason.
#include <algorithm>

#include "data/documents_of_text.h"
#include "data/rows_of_jsonl.h"
#include "fuzz_target.h"

namespace lastro {
namespace {

using Parts = std::vector<std::pair<std::int64_t, std::string>>;   // where each begins, what it is

template <class Taker>
void give(Taker& taker, std::string_view bytes, std::size_t piece_bytes) {
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece_bytes, bytes.size()))) taker.add(bytes.substr(0, piece_bytes));
  taker.finish();
}

Parts rows_of(std::string_view bytes, std::size_t piece_bytes) {
  Parts parts;
  RowSplitter splitter([&](const RowSplitter::Row& row) {
    const RowText text = text_of_row(row.json, "text");
    require(text.text.has_value() == text.problem.empty());
    parts.emplace_back(row.offset, text.text.value_or(text.problem));
  });
  give(splitter, bytes, piece_bytes);
  return parts;
}

Parts documents_of(SourceFormat format, CutInto cut, std::string_view bytes, std::size_t piece_bytes) {
  Parts parts;
  DocumentAssembler assembler(format, cut, [&](std::int64_t offset, std::string_view text) { parts.emplace_back(offset, text); });
  give(assembler, bytes, piece_bytes);
  return parts;
}

}   // namespace

void must_hold_for(std::string_view bytes) {
  require(rows_of(bytes, 7) == rows_of(bytes, bytes.size()));
  for (const SourceFormat format : {SourceFormat::text, SourceFormat::markdown, SourceFormat::dictd})
    for (const CutInto cut : {CutInto::documents, CutInto::items}) {
      const Parts documents = documents_of(format, cut, bytes, bytes.size());
      require(documents_of(format, cut, bytes, 7) == documents);
      for (const auto& [offset, text] : documents) require(bytes.substr(static_cast<std::size_t>(offset), text.size()) == text);
    }
}

std::vector<std::string> good_inputs() {
  return {"{\"text\": \"one\"}\n\n{\"text\": 2}\r\n[{\"text\": \"\\u00e9\"}]\n{\"id\": {\"text\": []}, \"text\": \"two\"}\n{\n",
          "# One\n\nword\n   meaning\n\nother\n~~~\n\n# no heading\n```\n~~~\n# Two\n" + std::string(600, 'x') + "\n# Three\n"};
}

}   // namespace lastro
