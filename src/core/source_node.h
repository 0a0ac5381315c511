#pragma once

#include "domain/digest.h"
#include "domain/node.h"
#include "domain/source.h"

namespace lastro {

// A digest that another rank wrote.
Digest digest_from(const Node& node);

// Resolved sources as plain values: how they travel between ranks.
Node to_node(const Sources& sources);
Sources sources_from(const Node& node);

}   // namespace lastro
