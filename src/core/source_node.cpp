#include "core/source_node.h"

#include "domain/errors.h"

namespace lastro {

Digest digest_from(const Node& node) {
  if (const auto digest = Digest::parse(node.text())) return *digest;
  throw InternalError("\"" + node.text() + "\" travelled as a digest");
}

Node to_node(const Sources& sources) {
  Node list = Node::sequence();
  for (const Source& source : sources) {
    Node files = Node::sequence();
    for (const SourceFile& file : source.files) {
      Node entry;
      entry.set("path", file.path.string());
      entry.set("sha256", file.sha256.to_string());
      entry.set("bytes", static_cast<std::int64_t>(file.bytes));
      files.push(std::move(entry));
    }
    Node node;
    node.set("name", source.name);
    node.set("format", static_cast<std::int64_t>(source.format));
    node.set("weight", source.weight);
    node.set("text_field", source.text_field);
    node.set("share", source.share);
    node.set("files", std::move(files));
    node.set("generated_seed", static_cast<std::int64_t>(source.generated_seed));
    node.set("generated_bytes", static_cast<std::int64_t>(source.generated_bytes));
    list.push(std::move(node));
  }
  return list;
}

Sources sources_from(const Node& list) {
  Sources sources;
  for (const Node& node : list.items()) {
    Source source;
    source.name = node.at("name").text();
    source.format = static_cast<SourceFormat>(node.at("format").integer());
    source.weight = node.at("weight").number();
    source.text_field = node.at("text_field").text();
    source.share = node.at("share").number();
    for (const Node& file : node.at("files").items())
      source.files.push_back({file.at("path").text(), digest_from(file.at("sha256")), static_cast<std::uint64_t>(file.at("bytes").integer())});
    source.generated_seed = static_cast<std::uint64_t>(node.at("generated_seed").integer());
    source.generated_bytes = static_cast<std::uint64_t>(node.at("generated_bytes").integer());
    sources.push_back(std::move(source));
  }
  return sources;
}

}   // namespace lastro
