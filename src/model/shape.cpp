#include "model/shape.h"

#include <type_traits>

#include "domain/errors.h"

namespace lastro {

namespace {

std::string n(std::int64_t value) { return std::to_string(value); }

template <class Visit>
void for_each_field(Visit visit) {
  std::apply([&](const auto&... fields) { (visit(fields), ...); }, ModelShape::fields);
}

template <class T>
T read(const Node& value, std::string_view name) {
  if constexpr (std::is_same_v<T, double>) {
    if (value.is_number()) return value.number();
  } else {
    if (const T* found = value.as<T>()) return *found;
  }
  throw ContractError("model." + std::string(name) + " has the wrong type (the record is damaged) make the model again or import it again");
}

}   // namespace

std::vector<CrossProblem> cross_problems(const ModelShape& shape) {
  std::vector<CrossProblem> problems;
  if (shape.heads > 0 && shape.kv_heads > 0 && shape.heads % shape.kv_heads != 0)
    problems.push_back({{"kv_heads", "heads"},
                        "kv_heads=" + n(shape.kv_heads) + " does not divide heads=" + n(shape.heads) +
                            " (every key head serves the same number of query heads) choose a divisor"});
  if (shape.head_dim == 0 && shape.heads > 0 && shape.width % shape.heads != 0) {
    problems.push_back({{"width", "heads"},
                        "width=" + n(shape.width) + " is not a multiple of heads=" + n(shape.heads) +
                            " (head_dim is width / heads) change one of them or set head_dim"});
    return problems;
  }
  const std::int64_t head_dim = shape.head_dim == 0 && shape.heads > 0 ? shape.width / shape.heads : shape.head_dim;
  if (head_dim % 8 != 0 || head_dim < 8 || head_dim > 128)
    problems.push_back(
        {{"head_dim", "width", "heads"}, "head_dim=" + n(head_dim) + " (attention wants a multiple of 8 up to 128) change width, heads or head_dim"});
  return problems;
}

ModelShape complete(ModelShape shape, std::int64_t tokenizer_size) {
  if (const auto problems = cross_problems(shape); !problems.empty()) throw UsageError("model: " + problems.front().text);
  if (shape.head_dim == 0) shape.head_dim = shape.width / shape.heads;
  if (shape.vocabulary == 0) shape.vocabulary = tokenizer_size;
  if (shape.vocabulary < tokenizer_size || shape.vocabulary <= 0)
    throw UsageError("model: vocabulary=" + n(shape.vocabulary) + " (the tokenizer has " + n(tokenizer_size) + " tokens) leave it out or raise it");
  return shape;
}

Node to_node(const ModelShape& shape) {
  Node node = Node::mapping();
  for_each_field([&](const auto& field) { node.set(field.name, shape.*field.member); });
  return node;
}

ModelShape model_shape_from(const Node& node) {
  ModelShape shape;
  for_each_field([&](const auto& field) {
    const Node* value = node.find(field.name);
    if (!value)
      throw ContractError("model." + std::string(field.name) + " is missing (the record is damaged or of another version) make the model again");
    auto& member = shape.*field.member;
    member = read<std::remove_reference_t<decltype(member)>>(*value, field.name);
  });
  if (const auto problems = cross_problems(shape); !problems.empty()) throw ContractError("model: " + problems.front().text);
  return shape;
}

}   // namespace lastro
