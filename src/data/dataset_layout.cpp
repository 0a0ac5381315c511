#include "data/dataset_layout.h"

#include <algorithm>

#include "core/files.h"
#include "core/json.h"
#include "domain/errors.h"

namespace lastro {
namespace {

constexpr std::int64_t format_version = 1;
constexpr std::int64_t largest_count = std::int64_t{1} << 38;   // of one shard: sums over all that a file of 2 GB can name stay in 64 bits

template <class Count>
std::int64_t total(const std::vector<Shard>& shards, Count count) {
  std::int64_t sum = 0;
  for (const Shard& shard : shards) sum += shard.*count;
  return sum;
}

Node node_of(const std::vector<ShardedSource>& sources) {
  Node list = Node::sequence();
  for (const ShardedSource& source : sources) {
    Node shards = Node::sequence();
    for (const Shard& shard : source.shards) {
      Node entry = Node::mapping();
      entry.set("name", shard.name);
      entry.set("tokens", shard.tokens);
      entry.set("documents", shard.documents);
      entry.set("text_bytes", shard.text_bytes);
      entry.set("tokens_sha256", shard.tokens_sha256.hex());
      entry.set("index_sha256", shard.index_sha256.hex());
      shards.push(std::move(entry));
    }
    Node entry = Node::mapping();
    entry.set("source", source.source);
    entry.set("weight", source.weight);
    entry.set("tokens", source.tokens());
    entry.set("documents", source.documents());
    entry.set("text_bytes", source.text_bytes());
    entry.set("shards", std::move(shards));
    list.push(std::move(entry));
  }
  return list;
}

// Reads members of the layout; whatever is absent or of another kind is damage.
class LayoutReader {
 public:
  explicit LayoutReader(std::string file) : file_(std::move(file)) {}

  const Node& member(const Node& node, std::string_view key) const {
    if (const Node* found = node.find(key)) return *found;
    refuse("no \"" + std::string(key) + "\"");
  }
  std::int64_t count(const Node& node, std::string_view key) const {
    const auto* value = member(node, key).as<std::int64_t>();
    if (!value || *value < 0 || *value > largest_count) refuse("\"" + std::string(key) + "\" is no count");
    return *value;
  }
  std::string text(const Node& node, std::string_view key) const {
    const auto* value = member(node, key).as<std::string>();
    if (!value) refuse("\"" + std::string(key) + "\" is no text");
    return *value;
  }
  Digest digest(const Node& node, std::string_view key) const {
    const auto value = Digest::parse(text(node, key));
    if (!value) refuse("\"" + std::string(key) + "\" is no digest");
    return *value;
  }
  std::vector<ShardedSource> sources(const Node& node, std::string_view key) const {
    std::vector<ShardedSource> sources;
    for (const Node& entry : member(node, key).items()) {
      ShardedSource source{text(entry, "source"), weight(entry), {}};
      for (const Node& shard : member(entry, "shards").items()) source.shards.push_back(shard_of(shard));
      sources.push_back(std::move(source));
    }
    return sources;
  }
  [[noreturn]] void refuse(const std::string& reason) const {
    throw ContractError(file_ + " is not a dataset's layout (" + reason + "; damaged, or of another version). Run the dataset stage again", file_,
                        "a dataset's layout of version " + std::to_string(format_version), reason);
  }

 private:
  double weight(const Node& entry) const {
    const Node& value = member(entry, "weight");
    if (!value.is_number()) refuse("\"weight\" is no number");
    return value.number();
  }
  Shard shard_of(const Node& node) const {
    const std::string name = text(node, "name");
    if (name.starts_with('/') || name.find("..") != std::string::npos) refuse("a shard named " + name);
    return {name,
            count(node, "tokens"),
            count(node, "documents"),
            count(node, "text_bytes"),
            digest(node, "tokens_sha256"),
            digest(node, "index_sha256")};
  }

  std::string file_;
};

}   // namespace

std::string_view name_of(Split split) {
  switch (split) {
    case Split::train: return "train";
    case Split::held_out: return "held_out";
    case Split::evaluation: return "evaluation";
  }
  return "?";
}

std::int64_t ShardedSource::tokens() const { return total(shards, &Shard::tokens); }
std::int64_t ShardedSource::documents() const { return total(shards, &Shard::documents); }
std::int64_t ShardedSource::text_bytes() const { return total(shards, &Shard::text_bytes); }

const std::vector<ShardedSource>& DatasetLayout::of(Split split) const {
  switch (split) {
    case Split::train: return train;
    case Split::held_out: return held_out;
    case Split::evaluation: return evaluation;
  }
  throw InternalError("no such split");
}

Node to_node(const DatasetLayout& layout) {
  Node node = Node::mapping();
  node.set("format", format_version);
  node.set("token_bytes", layout.token_bytes);
  node.set("vocabulary_size", layout.vocabulary_size);
  node.set("end_of_document", static_cast<std::int64_t>(layout.end_of_document));
  node.set("tokenizer", layout.tokenizer.to_string());
  for (const Split split : {Split::train, Split::held_out, Split::evaluation}) node.set(name_of(split), node_of(layout.of(split)));
  return node;
}

DatasetLayout read_dataset_layout(const std::filesystem::path& dataset_folder) {
  const std::filesystem::path file = dataset_folder / "dataset.json";
  if (!std::filesystem::exists(file))
    throw ContractError(file.string() + " does not exist (" + dataset_folder.string() + " is no dataset). Name a dataset, or run its stage again",
                        file.string(), "a file", "none");
  const LayoutReader reader(file.string());
  const Node root = parse_json(read_file(file), file.string());
  const Node& node = reader.member(root, "layout");
  if (reader.count(node, "format") != format_version) reader.refuse("format " + std::to_string(reader.count(node, "format")));
  DatasetLayout layout;
  const std::int64_t token_bytes = reader.count(node, "token_bytes"), end_of_document = reader.count(node, "end_of_document");
  layout.vocabulary_size = reader.count(node, "vocabulary_size");
  if (token_bytes != 2 && token_bytes != 4) reader.refuse("tokens of " + std::to_string(token_bytes) + " bytes");
  if (end_of_document >= std::min<std::int64_t>(layout.vocabulary_size, token_bytes == 2 ? 1 << 16 : std::int64_t{1} << 32))
    reader.refuse("documents end with token " + std::to_string(end_of_document) + ", which is none");
  layout.token_bytes = static_cast<int>(token_bytes);
  layout.end_of_document = static_cast<TokenId>(end_of_document);
  layout.tokenizer = reader.digest(node, "tokenizer");
  layout.train = reader.sources(node, "train");
  layout.held_out = reader.sources(node, "held_out");
  layout.evaluation = reader.sources(node, "evaluation");
  return layout;
}

}   // namespace lastro
