#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace lastro {

// A place in a text file; lines and columns count from 1, 0 = unknown.
struct Mark {
  int line = 0;
  int column = 0;
  bool operator==(const Mark&) const = default;
};

struct Entry;

// A tree of plain values, as YAML or JSON holds it. A mapping keeps the order of its keys; no key occurs twice.
class Node {
 public:
  using Sequence = std::vector<Node>;
  using Mapping = std::vector<Entry>;
  using Value = std::variant<std::nullptr_t, bool, std::int64_t, double, std::string, Sequence, Mapping>;

  // All defined where Entry is complete: the variant needs it, and those who include this file need not make them again.
  Node();
  Node(std::nullptr_t);
  Node(bool value);
  Node(int value);
  Node(std::int64_t value);
  Node(double value);
  Node(const char* value);
  Node(std::string_view value);
  Node(std::string value);
  Node(Sequence value);
  Node(Mapping value);
  Node(const Node&);
  Node(Node&&) noexcept;
  Node& operator=(const Node&);
  Node& operator=(Node&&) noexcept;
  ~Node();

  static Node mapping();
  static Node sequence();

  bool is_null() const { return std::holds_alternative<std::nullptr_t>(value_); }
  bool is_mapping() const { return std::holds_alternative<Mapping>(value_); }
  bool is_sequence() const { return std::holds_alternative<Sequence>(value_); }
  bool is_number() const { return std::holds_alternative<std::int64_t>(value_) || std::holds_alternative<double>(value_); }

  const Value& value() const { return value_; }
  template <class T>
  const T* as() const {
    return std::get_if<T>(&value_);
  }
  double number() const;                                        // requires is_number()
  const std::string& text() const;                              // requires a string
  std::int64_t integer() const;                                 // requires an integer
  const Sequence& items() const;                                // empty unless a sequence
  const Mapping& entries() const;                               // empty unless a mapping
  const Node* find(std::string_view key) const;                 // null when absent or not a mapping
  const Node& at(std::string_view key) const;                   // throws InternalError when absent
  Node& set(std::string_view key, Node value);                  // adds or replaces; turns null into a mapping; returns the value
  void push(Node value);                                        // appends; turns null into a sequence
  Node without(std::span<const std::string_view> keys) const;   // a mapping of the other entries

  bool operator==(const Node& other) const;   // marks do not count

  Mark mark;   // where the value begins

 private:
  Value value_;
};

struct Entry {
  std::string key;
  Node value;
  Mark mark;   // where the key begins
  bool operator==(const Entry& other) const { return key == other.key && value == other.value; }
};

}   // namespace lastro
