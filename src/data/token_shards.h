#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "data/dataset_layout.h"
#include "data/file.h"
#include "domain/ids.h"

namespace lastro {

// The tokens of one source in one split, shards end to end. Threads may read at the same time.
class TokenShards {
 public:
  TokenShards(const std::filesystem::path& dataset_folder, const DatasetLayout& layout, const ShardedSource& source);

  std::int64_t tokens() const { return ends_.empty() ? 0 : ends_.back(); }

  // Fills `into` with the tokens from `position` on. Allocates nothing. Requires: position + into.size() <= tokens().
  void read(std::int64_t position, std::span<TokenId> into) const;

 private:
  std::vector<ReadFile> files_;
  std::vector<std::int64_t> ends_;   // where each shard ends in the sequence
  int token_bytes_;
};

// A document of a finished dataset.
struct TokenDocument {
  int source;                        // index into the split's sources
  std::int64_t number;               // within the source
  std::span<const TokenId> tokens;   // without the end-of-document token; valid during the visit only
  std::int64_t text_bytes;           // of the text that the tokens stand for
};

// Visits the documents of a split in order: source after source, shard after shard. Part p of n takes the shards p, p + n, ...
void for_each_document(const std::filesystem::path& dataset_folder, const DatasetLayout& layout, Split split,
                       const std::function<void(const TokenDocument&)>& visit, int part = 0, int parts = 1);

}   // namespace lastro
