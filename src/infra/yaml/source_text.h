#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "domain/node.h"
#include "domain/problem.h"

namespace lastro {

// The bytes of a YAML file, for questions that the parser's events leave open.
class SourceText {
 public:
  explicit SourceText(std::string_view text);

  std::string_view text() const { return text_; }   // without a byte order mark
  char at(std::size_t offset) const { return offset < text_.size() ? text_[offset] : '\0'; }

  // Line and column of a byte, both from 1; columns count characters.
  Mark mark_at(std::size_t offset) const;

  // Behind the closing quote of the quoted text that begins at `offset`; npos when its line ends before it does.
  std::size_t end_of_quoted(std::size_t offset) const;

  // The dash that an empty list item in front of `offset` belongs to; `offset` itself when there is none.
  std::size_t dash_before(std::size_t offset) const;

  // What no YAML may hold: bytes that are not UTF-8, control characters, tabs as indentation. The first of each line.
  void check_bytes(const std::string& file, Problems& problems) const;

  static constexpr std::size_t npos = std::string_view::npos;

 private:
  std::string_view line(std::size_t index) const;

  std::string_view text_;
  std::vector<std::size_t> line_starts_;
};

}   // namespace lastro
