#pragma once

#include <string>
#include <string_view>

#include "domain/node.h"

namespace lastro {

// JSON text of a tree, on one line, keys in the tree's order; numbers in the shortest form that reads back the same, a real
// number always with a point or an exponent. A port: infra/json has the implementation.
std::string to_json(const Node& node);

// The same over several indented lines.
std::string to_json_pretty(const Node& node);

// JSON text with keys sorted by bytes: one tree has one canonical text, which may be hashed.
std::string to_canonical_json(const Node& node);

// Throws ContractError (line, column, reason) unless `text` is one JSON value without duplicate keys. `what` names it in messages.
Node parse_json(std::string_view text, std::string_view what);

}   // namespace lastro
