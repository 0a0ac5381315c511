#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace lastro {

// A longer row is malformed; so a file without newlines needs a bounded memory.
inline constexpr std::size_t longest_row_bytes = 16 * 1024 * 1024;

// Parts the bytes of a JSON-lines file into rows.
class RowSplitter {
 public:
  struct Row {
    std::int64_t number;   // counts from 1, blank lines included
    std::int64_t offset;
    std::string_view json;   // without the newline; empty when too long
    bool is_too_long = false;
  };
  explicit RowSplitter(std::function<void(const Row&)> visit);
  void add(std::string_view bytes);
  void finish();

 private:
  void end_row();

  std::function<void(const Row&)> visit_;
  std::string row_;
  bool is_too_long_ = false;
  std::int64_t number_ = 1;
  std::int64_t begin_ = 0;
  std::int64_t end_ = 0;
};

// The text in field `field` of a row, or why there is none ("not JSON: ...", "no field "text" (the row has "body", "title")").
struct RowText {
  std::optional<std::string> text;
  std::string problem;
};
RowText text_of_row(std::string_view json, std::string_view field);

}   // namespace lastro
