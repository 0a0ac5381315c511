#include "data/rows_of_jsonl.h"

#include <nlohmann/json.hpp>

#include "core/json.h"
#include "core/json_reason.h"

namespace lastro {

RowSplitter::RowSplitter(std::function<void(const Row&)> visit) : visit_(std::move(visit)) {}

void RowSplitter::add(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t newline = bytes.find('\n');
    const std::string_view part = bytes.substr(0, newline);
    is_too_long_ = is_too_long_ || row_.size() + part.size() > longest_row_bytes;
    if (is_too_long_)
      row_.clear();
    else
      row_ += part;
    end_ += static_cast<std::int64_t>(part.size());
    bytes.remove_prefix(part.size());
    if (newline == std::string_view::npos) return;
    bytes.remove_prefix(1);
    end_ += 1;
    end_row();
  }
}

void RowSplitter::finish() {
  if (end_ > begin_) end_row();
}

void RowSplitter::end_row() {
  if (is_too_long_ || row_.find_first_not_of(" \t\r") != std::string::npos) visit_({number_, begin_, row_, is_too_long_});
  row_.clear();
  is_too_long_ = false;
  begin_ = end_;
  ++number_;
}

namespace {

// Takes one text field out of a row without building the row's tree: rows may nest as deep as they like.
class FieldFinder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit FieldFinder(std::string_view field) : field_(field) {}

  bool null() override { return other("null"); }
  bool boolean(bool) override { return other("a boolean"); }
  bool number_integer(number_integer_t) override { return other("a number"); }
  bool number_unsigned(number_unsigned_t) override { return other("a number"); }
  bool number_float(number_float_t, const string_t&) override { return other("a number"); }
  bool binary(binary_t&) override { return other("binary"); }
  bool string(string_t& value) override {
    if (is_wanted_)
      text = std::move(value);
    else if (depth_ == 0)
      found = "a string";
    is_wanted_ = false;
    return true;
  }
  bool start_object(std::size_t) override { return open("an object"); }
  bool start_array(std::size_t) override { return open("an array"); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    if (depth_ != 1) return true;
    is_wanted_ = name == field_;
    has_field = has_field || is_wanted_;
    ++fields_;
    if (named_ == most_named || name.size() > longest_named) return true;
    names_ += (named_++ == 0 ? "" : ", ") + to_json(Node(name));
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception& error) override {
    problem = "not JSON at byte " + std::to_string(position) + " (" + json_reason(error.what()) + ")";
    return false;
  }

  // "the row has "body", "title" and 3 more"
  std::string fields() const {
    if (fields_ == 0) return "the row is empty";
    const int more = fields_ - named_;
    return "the row has " + names_ + (more == 0 ? "" : (named_ == 0 ? "" : " and ") + std::to_string(more) + (named_ == 0 ? " fields" : " more"));
  }

  std::optional<std::string> text;
  bool has_field = false;
  std::string found;   // what stands where an object or a string should
  std::string problem;

 private:
  bool other(const char* kind) {
    if (is_wanted_ || depth_ == 0) found = kind;
    is_wanted_ = false;
    return true;
  }
  bool open(const char* kind) {
    if (is_wanted_ || (depth_ == 0 && kind != std::string_view("an object"))) found = kind;
    is_wanted_ = false;
    ++depth_;
    return true;
  }
  bool close() {
    --depth_;
    return true;
  }

  static constexpr int most_named = 8;
  static constexpr std::size_t longest_named = 40;   // bytes

  std::string_view field_;
  std::string names_;   // of the first fields
  int named_ = 0;
  int fields_ = 0;
  int depth_ = 0;
  bool is_wanted_ = false;
};

}   // namespace

RowText text_of_row(std::string_view json, std::string_view field) {
  FieldFinder finder(field);
  if (!nlohmann::json::sax_parse(json.begin(), json.end(), &finder)) return {std::nullopt, finder.problem};
  if (finder.text) return {std::move(finder.text), ""};
  const std::string name = "\"" + std::string(field) + "\"";
  if (finder.has_field) return {std::nullopt, "field " + name + " is " + finder.found + ", not a string"};
  if (!finder.found.empty()) return {std::nullopt, "the row is " + finder.found + ", not an object"};
  return {std::nullopt, "no field " + name + " (" + finder.fields() + ")"};
}

}   // namespace lastro
