#include "domain/node.h"

#include <algorithm>

#include "domain/errors.h"

namespace lastro {

Node::Node() = default;
Node::Node(std::nullptr_t) {}
Node::Node(bool value) : value_(value) {}
Node::Node(int value) : value_(std::int64_t{value}) {}
Node::Node(std::int64_t value) : value_(value) {}
Node::Node(double value) : value_(value) {}
Node::Node(const char* value) : value_(std::string(value)) {}
Node::Node(std::string_view value) : value_(std::string(value)) {}
Node::Node(std::string value) : value_(std::move(value)) {}
Node::Node(Sequence value) : value_(std::move(value)) {}
Node::Node(Mapping value) : value_(std::move(value)) {}
Node::Node(const Node&) = default;
Node::Node(Node&&) noexcept = default;
Node& Node::operator=(const Node&) = default;
Node& Node::operator=(Node&&) noexcept = default;
Node::~Node() = default;

Node Node::without(std::span<const std::string_view> keys) const {
  Mapping rest;
  for (const Entry& entry : entries())
    if (std::find(keys.begin(), keys.end(), entry.key) == keys.end()) rest.push_back(entry);
  return Node(std::move(rest));
}

bool Node::operator==(const Node& other) const { return value_ == other.value_; }

Node Node::mapping() { return Node(Mapping{}); }
Node Node::sequence() { return Node(Sequence{}); }

double Node::number() const {
  if (const auto* integer = as<std::int64_t>()) return static_cast<double>(*integer);
  if (const auto* real = as<double>()) return *real;
  throw InternalError("a node that holds no number was read as one");
}

const std::string& Node::text() const {
  if (const auto* text = as<std::string>()) return *text;
  throw InternalError("a node that holds no string was read as one");
}

std::int64_t Node::integer() const {
  if (const auto* integer = as<std::int64_t>()) return *integer;
  throw InternalError("a node that holds no integer was read as one");
}

const Node::Sequence& Node::items() const {
  static const Sequence none;
  const auto* items = as<Sequence>();
  return items ? *items : none;
}

const Node::Mapping& Node::entries() const {
  static const Mapping none;
  const auto* entries = as<Mapping>();
  return entries ? *entries : none;
}

const Node* Node::find(std::string_view key) const {
  for (const Entry& entry : entries())
    if (entry.key == key) return &entry.value;
  return nullptr;
}

const Node& Node::at(std::string_view key) const {
  if (const Node* found = find(key)) return *found;
  throw InternalError("a mapping has no key \"" + std::string(key) + "\"");
}

Node& Node::set(std::string_view key, Node value) {
  if (is_null()) value_ = Mapping{};
  auto& entries = std::get<Mapping>(value_);
  for (Entry& entry : entries)
    if (entry.key == key) return entry.value = std::move(value);
  entries.push_back({std::string(key), std::move(value), {}});
  return entries.back().value;
}

void Node::push(Node value) {
  if (is_null()) value_ = Sequence{};
  std::get<Sequence>(value_).push_back(std::move(value));
}

}   // namespace lastro
