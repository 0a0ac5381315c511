#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/stage_registry.h"
#include "core/store.h"
#include "runtime/agreement.h"

namespace lastro {

// What rank 0 tells every rank to do next: a stage with everything resolved.
struct StageOrder {
  std::string stage;   // "04_pretrain"
  std::string kind;
  int version = 1;
  Node settings;   // complete
  std::uint64_t seed = 0;
  Digest key;
  ResolvedInputs inputs;
  std::filesystem::path output;   // the store's staging folder
  std::filesystem::path work;
  std::int64_t memory_limit_bytes = 0;   // of one rank; 0: none
};

// The files of the order's artifacts and sources, each with the digest it must have.
std::vector<NamedFile> files_of(const StageOrder& order, const Store& store);

Node to_node(const StageOrder& order);
StageOrder order_from(const Node& node);

}   // namespace lastro
