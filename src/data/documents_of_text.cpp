#include "data/documents_of_text.h"

#include <algorithm>

namespace lastro {
namespace {

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r\n\v\f") == std::string_view::npos; }

bool is_heading(std::string_view line) {
  const std::size_t marks = line.find_first_not_of('#');
  return marks != std::string_view::npos && marks >= 1 && marks <= 6 && line[marks] == ' ';
}

// "- ", "* ", "+ ", "1. " or "1) ", perhaps indented.
bool is_list_entry(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  const std::size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
  const std::string_view marks = digits == 0 ? "-*+" : ".)";
  line.remove_prefix(digits);
  return line.size() >= 2 && marks.find(line[0]) != std::string_view::npos && (line[1] == ' ' || line[1] == '\t');
}

// The character of the fence that a line opens or closes, or 0.
char fence_of(std::string_view line) {
  const std::size_t indent = line.find_first_not_of(' ');
  if (indent == std::string_view::npos || indent > 3) return 0;
  line.remove_prefix(indent);
  return line.starts_with("```") ? '`' : line.starts_with("~~~") ? '~' : char{0};
}

}   // namespace

std::size_t cut_of(std::string_view text) {
  const std::string_view window = text.substr(0, longest_document_bytes);
  for (const char border : {'\n', ' '}) {
    const std::size_t last = window.rfind(border);
    if (last != std::string_view::npos && last >= window.size() / 2) return last + 1;
  }
  std::size_t end = window.size();
  for (int back = 0; back < 3 && end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80; ++back) --end;
  return end;
}

DocumentAssembler::DocumentAssembler(SourceFormat format, CutInto cut, DocumentVisit visit) : format_(format), cut_(cut), visit_(std::move(visit)) {}

void DocumentAssembler::add(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t newline = bytes.find('\n');
    const bool is_whole = newline != std::string_view::npos;
    std::string_view part = bytes.substr(0, is_whole ? newline + 1 : bytes.size());
    part = part.substr(0, std::max<std::size_t>(longest_document_bytes - line_.size(), 1));
    bytes.remove_prefix(part.size());
    line_ += part;
    if (line_.back() != '\n' && line_.size() < longest_document_bytes) continue;
    add_line(line_);
    line_is_continued_ = line_.back() != '\n';
    line_.clear();
  }
}

void DocumentAssembler::finish() {
  if (!line_.empty()) add_line(line_);
  line_.clear();
  emit(document_.size());
}

void DocumentAssembler::add_line(std::string_view line) {
  if (!line_is_continued_) {
    if (cut_ == CutInto::items ? begins_item(line) : begins_document(line)) emit(document_.size());
    note(line);
  }
  document_ += line;
  while (document_.size() > longest_document_bytes) emit(cut_of(document_));
}

bool DocumentAssembler::begins_document(std::string_view line) const {
  switch (format_) {
    case SourceFormat::dictd: return after_blank_ && !is_blank(line) && line.front() != ' ' && line.front() != '\t';
    case SourceFormat::markdown:
      if (fence_ != 0) return false;
      if (is_heading(line) && document_.size() >= section_bytes) return true;
      return after_blank_ && !is_blank(line) && document_.size() >= document_bytes;
    case SourceFormat::text:
    case SourceFormat::jsonl:
    case SourceFormat::stories:
    case SourceFormat::questions: break;
  }
  return after_blank_ && !is_blank(line) && document_.size() >= document_bytes;
}

bool DocumentAssembler::begins_item(std::string_view line) const {
  if (format_ == SourceFormat::dictd) return begins_document(line);
  const bool is_new_paragraph = after_blank_ && !is_blank(line);
  if (format_ != SourceFormat::markdown) return is_new_paragraph;
  return fence_ == 0 && (is_new_paragraph || after_heading_ || is_heading(line) || is_list_entry(line));
}

void DocumentAssembler::note(std::string_view line) {
  after_blank_ = is_blank(line);
  after_heading_ = fence_ == 0 && is_heading(line);
  if (const char fence = fence_of(line); fence != 0 && (fence_ == 0 || fence_ == fence)) fence_ = fence_ == 0 ? fence : char{0};
}

void DocumentAssembler::emit(std::size_t bytes) {
  if (bytes == 0) return;
  const std::string_view text = std::string_view(document_).substr(0, bytes);
  if (!is_blank(text)) visit_(offset_, text);
  offset_ += static_cast<std::int64_t>(bytes);
  document_.erase(0, bytes);
}

}   // namespace lastro
