#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "domain/digest.h"
#include "domain/ids.h"
#include "domain/node.h"

namespace lastro {

// A Dataset artifact:
//
//   dataset.json                    this layout, the counts and the settings that made them
//   <split>/<source>-00000.tokens   tokens, two bytes each (four when the vocabulary has more than 65,536), little-endian; a document's
//                                   tokens, then the end-of-document token, document after document
//   <split>/<source>-00000.index    one entry a document, two u64 little-endian: where its tokens end in this shard (end-of-document
//                                   token included), and where its text ends, both counted from the shard's start
//   removed.jsonl                   one line a removed (or reported) document: which rule, why
//   tokenizer/                      a copy of the tokenizer's files, so that a dataset can be read back as text on its own
//
// <split> is train, held_out or evaluation. Shards of a source are one sequence; a shard ends with the document that fills it.
enum class Split { train, held_out, evaluation };
std::string_view name_of(Split split);

struct Shard {
  std::string name;   // "train/prose-00000"; the files are name + ".tokens" and name + ".index"
  std::int64_t tokens = 0;
  std::int64_t documents = 0;
  std::int64_t text_bytes = 0;
  Digest tokens_sha256;
  Digest index_sha256;
  bool operator==(const Shard&) const = default;
};

// What one source gave to a split.
struct ShardedSource {
  std::string source;
  double weight = 1.0;   // share of the mixture, relative
  std::vector<Shard> shards;
  std::int64_t tokens() const;
  std::int64_t documents() const;
  std::int64_t text_bytes() const;
  bool operator==(const ShardedSource&) const = default;
};

struct DatasetLayout {
  int token_bytes = 2;
  std::int64_t vocabulary_size = 0;
  TokenId end_of_document = 0;
  Digest tokenizer;                   // the Tokenizer artifact
  std::vector<ShardedSource> train;   // in the order of the manifest; a source that gave nothing has no shards
  std::vector<ShardedSource> held_out;
  std::vector<ShardedSource> evaluation;
  const std::vector<ShardedSource>& of(Split split) const;
  bool operator==(const DatasetLayout&) const = default;
};

Node to_node(const DatasetLayout& layout);
// Throws ContractError when the file is damaged or of another version.
DatasetLayout read_dataset_layout(const std::filesystem::path& dataset_folder);

}   // namespace lastro
