#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/json.h"
#include "core/json_reason.h"
#include "domain/errors.h"

namespace lastro {
namespace {

constexpr std::size_t depth_limit = 256;   // the tree is walked recursively by those who read it

Mark mark_at(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const std::size_t newline = before.rfind('\n');
  const auto column = newline == before.npos ? offset + 1 : offset - newline;
  return {1 + static_cast<int>(std::count(before.begin(), before.end(), '\n')), static_cast<int>(column)};
}

[[noreturn]] void refuse(std::string_view what, std::string_view text, std::size_t offset, const std::string& reason) {
  const Mark mark = mark_at(text, offset);
  throw ContractError(std::string(what) + ":" + std::to_string(mark.line) + ":" + std::to_string(mark.column) + ": " + reason);
}

// Reads through a pointer that the listener below shares, since the parser does not tell where a key stands.
struct TrackedChars {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;
  const char* at;
  const char** progress;
  reference operator*() const { return *at; }
  TrackedChars& operator++() {
    *progress = ++at;
    return *this;
  }
  TrackedChars operator++(int) {
    TrackedChars before = *this;
    ++*this;
    return before;
  }
  bool operator==(const TrackedChars& other) const { return at == other.at; }
  bool operator!=(const TrackedChars& other) const { return at != other.at; }
};

// Builds a Node from the parser's events, without recursion.
class TreeBuilder {
 public:
  TreeBuilder(std::string_view text, std::string_view what, const char* const& progress) : text_(text), what_(what), progress_(progress) {}
  Node take() { return std::move(root_); }

  bool null() { return add(Node(nullptr)); }
  bool boolean(bool value) { return add(Node(value)); }
  bool number_integer(std::int64_t value) { return add(Node(value)); }
  bool number_unsigned(std::uint64_t value) {
    constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    return value <= largest ? add(Node(static_cast<std::int64_t>(value))) : add(Node(static_cast<double>(value)));
  }
  bool number_float(double, const std::string& digits) {   // read again: the parser's own reading goes through the locale
    double value = 0.0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return add(Node(value));
  }
  bool string(std::string& value) { return add(Node(std::move(value))); }
  bool binary(nlohmann::json::binary_t&) { return false; }

  bool start_object(std::size_t) { return open(true); }
  bool start_array(std::size_t) { return open(false); }
  bool key(std::string& key) {
    open_.back().entries.push_back({std::move(key), Node(), offset_as_mark(start_of_string())});
    return true;
  }
  bool end_object() {
    refuse_duplicate_keys(open_.back().entries);
    Node made(std::move(open_.back().entries));
    open_.pop_back();
    return add(std::move(made));
  }
  bool end_array() {
    Node made(std::move(open_.back().items));
    open_.pop_back();
    return add(std::move(made));
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception& error) {
    refuse(what_, text_, position > 0 ? std::min(position - 1, text_.size()) : 0, "this is not JSON (" + json_reason(error.what()) + ")");
  }

 private:
  struct Open {
    bool is_object;
    Node::Mapping entries;
    Node::Sequence items;
  };

  bool open(bool is_object) {
    if (open_.size() >= depth_limit) refuse(what_, text_, consumed() - 1, "nested deeper than " + std::to_string(depth_limit) + " levels");
    open_.push_back({is_object, {}, {}});
    return true;
  }

  bool add(Node value) {
    if (open_.empty())
      root_ = std::move(value);
    else if (open_.back().is_object)
      open_.back().entries.back().value = std::move(value);
    else
      open_.back().items.push_back(std::move(value));
    return true;
  }

  std::size_t consumed() const { return static_cast<std::size_t>(progress_ - text_.data()); }

  // The parser has just read a string's closing quote; a quote inside would stand behind an odd number of backslashes.
  std::size_t start_of_string() const {
    std::size_t at = consumed() - 1;
    while (at > 0) {
      at = text_.rfind('"', at - 1);
      std::size_t backslashes = 0;
      while (at > backslashes && text_[at - backslashes - 1] == '\\') ++backslashes;
      if (backslashes % 2 == 0) break;
    }
    return at;
  }

  // Offsets are turned into lines only for the one message that needs them.
  static Mark offset_as_mark(std::size_t offset) { return {static_cast<int>(offset), 0}; }

  void refuse_duplicate_keys(Node::Mapping& entries) const {
    std::vector<const Entry*> by_key;
    for (const Entry& entry : entries) by_key.push_back(&entry);
    std::stable_sort(by_key.begin(), by_key.end(), [](const Entry* a, const Entry* b) { return a->key < b->key; });
    const auto twice = std::adjacent_find(by_key.begin(), by_key.end(), [](const Entry* a, const Entry* b) { return a->key == b->key; });
    if (twice != by_key.end()) refuse(what_, text_, (*std::next(twice))->mark.line, "key \"" + (*twice)->key + "\" stands here a second time");
    for (Entry& entry : entries) entry.mark = {};
  }

  std::string_view text_;
  std::string_view what_;
  const char* const& progress_;
  std::vector<Open> open_;
  Node root_;
};

}   // namespace

Node parse_json(std::string_view text, std::string_view what) {
  if (text.size() > std::numeric_limits<int>::max()) throw ContractError(std::string(what) + " is larger than 2 GB (JSON files here are small)");
  const char* progress = text.data();
  TreeBuilder tree(text, what, progress);
  const TrackedChars begin{text.data(), &progress};
  const TrackedChars end{text.data() + text.size(), &progress};
  nlohmann::json::sax_parse(begin, end, &tree);
  return tree.take();
}

}   // namespace lastro
