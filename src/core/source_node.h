#pragma once

#include "domain/node.h"
#include "domain/source.h"

namespace lastro {

// Resolved sources as plain values: how they travel between ranks.
Node to_node(const Sources& sources);
Sources sources_from(const Node& node);

}   // namespace lastro
