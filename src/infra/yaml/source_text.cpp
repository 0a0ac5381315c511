#include "infra/yaml/source_text.h"

#include <algorithm>

#include "core/utf8.h"

namespace lastro {
namespace {

std::string hex_byte(unsigned char byte) {
  constexpr std::string_view digits = "0123456789abcdef";
  return std::string("0x") + digits[byte >> 4] + digits[byte & 15];
}

// The line up to a comment or its trailing blanks.
std::string_view content_of(std::string_view line) {
  for (std::size_t at = line.find('#'); at != line.npos; at = line.find('#', at + 1)) {
    if (at > 0 && line[at - 1] != ' ' && line[at - 1] != '\t') continue;
    line = line.substr(0, at);
    break;
  }
  const std::size_t last = line.find_last_not_of(" \t\r\n");
  return last == line.npos ? "" : line.substr(0, last + 1);
}

}   // namespace

SourceText::SourceText(std::string_view text) : text_(text) {
  if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
  line_starts_.push_back(0);
  for (std::size_t at = text_.find('\n'); at != npos; at = text_.find('\n', at + 1)) line_starts_.push_back(at + 1);
}

std::string_view SourceText::line(std::size_t index) const {
  const std::size_t end = index + 1 < line_starts_.size() ? line_starts_[index + 1] : text_.size();
  return text_.substr(line_starts_[index], end - line_starts_[index]);
}

Mark SourceText::mark_at(std::size_t offset) const {
  offset = std::min(offset, text_.size());
  const auto next_line = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const std::string_view before = text_.substr(*(next_line - 1), offset - *(next_line - 1));
  const auto characters = std::count_if(before.begin(), before.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
  return {static_cast<int>(next_line - line_starts_.begin()), static_cast<int>(characters) + 1};
}

std::size_t SourceText::end_of_quoted(std::size_t offset) const {
  const char quote = at(offset);
  for (std::size_t i = offset + 1; i < text_.size() && text_[i] != '\n'; ++i) {
    if (quote == '"' && text_[i] == '\\') {
      ++i;
      if (at(i) == '\n') return npos;
    } else if (text_[i] == quote) {
      if (quote == '"' || at(i + 1) != '\'') return i + 1;
      ++i;
    }
  }
  return npos;
}

std::size_t SourceText::dash_before(std::size_t offset) const {
  auto index = static_cast<std::size_t>(std::upper_bound(line_starts_.begin(), line_starts_.end(), offset) - line_starts_.begin());
  while (index-- > 0) {
    std::string_view content = line(index);
    content = content_of(content.substr(0, std::min(content.size(), offset - line_starts_[index])));
    if (content.empty()) continue;
    return content.back() == '-' ? line_starts_[index] + content.size() - 1 : offset;
  }
  return offset;
}

void SourceText::check_bytes(const std::string& file, Problems& problems) const {
  if (text_.starts_with("\xFF\xFE") || text_.starts_with("\xFE\xFF")) {
    problems.push_back({file, {1, 1}, "the file is UTF-16 (save it as UTF-8)"});
    return;
  }
  if (const std::size_t zero = text_.find('\0'); zero != npos) {
    problems.push_back({file, mark_at(zero), "the file is not text (it holds a zero byte) name a manifest, saved as UTF-8"});
    return;
  }
  for (std::size_t index = 0; index < line_starts_.size(); ++index) {
    std::string_view rest = line(index);
    const auto refuse = [&](std::size_t at, std::string message) {
      problems.push_back({file, mark_at(line_starts_[index] + at), std::move(message)});
    };
    const std::size_t content = rest.find_first_not_of(" \t\r\n");
    const std::size_t tab = rest.find('\t');
    if (content != npos && tab < content && rest[content] != '#') refuse(tab, "a tab indents this line (YAML is indented with blanks)");
    for (std::size_t at = 0; at < rest.size();) {
      const std::size_t bytes = utf8_sequence_length(rest.substr(at));
      const auto first = static_cast<unsigned char>(rest[at]);
      const bool is_line_end = first == '\n' || (first == '\r' && at + 2 == rest.size() && rest.back() == '\n');
      if (bytes == 0) {
        refuse(at, "byte " + hex_byte(first) + " is not UTF-8 (save the file as UTF-8)");
        break;
      }
      if ((first < 0x20 && first != '\t' && !is_line_end) || first == 0x7F) {
        refuse(at, "control character " + hex_byte(first) + " in the text (write it as an escape in double quotes)");
        break;
      }
      at += bytes;
    }
  }
}

}   // namespace lastro
