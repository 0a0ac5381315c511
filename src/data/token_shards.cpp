#include "data/token_shards.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "data/spill_sorter.h"
#include "domain/errors.h"

namespace lastro {
namespace {

// Turns `count` two-byte tokens that stand at the end of `into` into four-byte ones, front to back: a token is written no later than the
// place it came from is needed.
void widen(std::span<TokenId> into) {
  const auto bytes = std::as_writable_bytes(into);
  const std::size_t start = bytes.size() / 2;
  for (std::size_t i = 0; i < into.size(); ++i) {
    std::uint16_t narrow;
    std::memcpy(&narrow, bytes.data() + start + 2 * i, 2);
    into[i] = narrow;
  }
}

void read_tokens(const ReadFile& file, int token_bytes, std::int64_t position, std::span<TokenId> into) {
  const auto offset = static_cast<std::uint64_t>(position) * static_cast<std::uint64_t>(token_bytes);
  const auto bytes = std::as_writable_bytes(into);
  if (token_bytes == 4) return file.read_exactly(offset, bytes);
  file.read_exactly(offset, bytes.subspan(bytes.size() / 2));
  widen(into);
}

ReadFile open_shard(const std::filesystem::path& folder, const Shard& shard, std::string_view ending, std::uint64_t wanted_bytes) {
  ReadFile file(folder / (shard.name + std::string(ending)));
  if (const std::uint64_t found = file.size(); found != wanted_bytes)
    throw ContractError(file.path().string() + " has " + std::to_string(found) + " bytes (wanted " + std::to_string(wanted_bytes) +
                            "; it is damaged). Run the dataset stage again",
                        file.path().string(), std::to_string(wanted_bytes), std::to_string(found));
  return file;
}

ReadFile open_tokens(const std::filesystem::path& folder, const Shard& shard, int token_bytes) {
  return open_shard(folder, shard, ".tokens", static_cast<std::uint64_t>(shard.tokens) * static_cast<std::uint64_t>(token_bytes));
}

using IndexEntry = std::array<std::uint64_t, 2>;

}   // namespace

TokenShards::TokenShards(const std::filesystem::path& dataset_folder, const DatasetLayout& layout, const ShardedSource& source)
    : token_bytes_(layout.token_bytes) {
  for (const Shard& shard : source.shards) {
    files_.push_back(open_tokens(dataset_folder, shard, token_bytes_));
    ends_.push_back(tokens() + shard.tokens);
  }
}

void TokenShards::read(std::int64_t position, std::span<TokenId> into) const {
  auto shard = static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.end(), position) - ends_.begin());
  while (!into.empty()) {
    const std::int64_t begin = shard == 0 ? 0 : ends_[shard - 1];
    const auto count = std::min<std::int64_t>(static_cast<std::int64_t>(into.size()), ends_[shard] - position);
    read_tokens(files_[shard], token_bytes_, position - begin, into.first(static_cast<std::size_t>(count)));
    into = into.subspan(static_cast<std::size_t>(count));
    position += count;
    ++shard;
  }
}

void for_each_document(const std::filesystem::path& dataset_folder, const DatasetLayout& layout, Split split,
                       const std::function<void(const TokenDocument&)>& visit, int part, int parts) {
  const auto& sources = layout.of(split);
  std::vector<TokenId> tokens;
  int shard_number = 0;
  for (int source = 0; source < static_cast<int>(sources.size()); ++source) {
    std::int64_t document = 0;
    for (const Shard& shard : sources[source].shards) {
      if (shard_number++ % parts != part) {
        document += shard.documents;
        continue;
      }
      const ReadFile file = open_tokens(dataset_folder, shard, layout.token_bytes);
      const ReadFile index = open_shard(dataset_folder, shard, ".index", static_cast<std::uint64_t>(shard.documents) * sizeof(IndexEntry));
      RecordReader<IndexEntry> entries(index, 0, static_cast<std::uint64_t>(shard.documents), 64 * 1024);
      IndexEntry begin{0, 0};
      while (const IndexEntry* end = entries.next()) {
        if ((*end)[0] <= begin[0] || (*end)[0] > static_cast<std::uint64_t>(shard.tokens) || (*end)[1] < begin[1])
          throw ContractError(index.path().string() + " is damaged (document ends do not ascend). Run the dataset stage again", index.path().string(),
                              "ascending ends", std::to_string((*end)[0]));
        tokens.resize((*end)[0] - begin[0]);
        read_tokens(file, layout.token_bytes, static_cast<std::int64_t>(begin[0]), tokens);
        visit({source, document++, std::span<const TokenId>(tokens).first(tokens.size() - 1), static_cast<std::int64_t>((*end)[1] - begin[1])});
        begin = *end;
      }
    }
  }
}

}   // namespace lastro
