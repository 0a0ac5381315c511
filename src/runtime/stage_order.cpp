#include "runtime/stage_order.h"

#include "core/source_node.h"
#include "domain/errors.h"

namespace lastro {
namespace {

Node to_node(const ResolvedInput& input) {
  Node node;
  node.set("port", input.port);
  if (input.artifact) {
    node.set("type", static_cast<std::int64_t>(input.artifact->type));
    node.set("digest", input.artifact->digest.to_string());
    node.set("folder", input.artifact->folder.string());
    node.set("remedy", input.artifact->remedy);
  } else {
    node.set("sources", to_node(input.sources));
  }
  return node;
}

ResolvedInput input_from(const Node& node) {
  ResolvedInput input;
  input.port = node.at("port").text();
  if (const Node* sources = node.find("sources"))
    input.sources = sources_from(*sources);
  else
    input.artifact = ResolvedArtifact{static_cast<ArtifactType>(node.at("type").integer()), digest_from(node.at("digest")), node.at("folder").text(),
                                      node.at("remedy").text()};
  return input;
}

}   // namespace

std::vector<NamedFile> files_of(const StageOrder& order, const Store& store) {
  std::vector<NamedFile> files;
  for (const ResolvedInput& input : order.inputs) {
    for (const Source& source : input.sources)
      for (const SourceFile& file : source.files) files.push_back({file.path.string(), file.sha256, "the same command takes it as it is now"});
    if (!input.artifact) continue;
    const auto record = store.find_artifact(input.artifact->digest);
    if (!record)
      throw ContractError(input.artifact->folder.string() + " has no artifact (the store lost it) run the same command again to make it anew",
                          input.port, input.artifact->digest.to_string(), "nothing");
    for (const ArtifactFile& file : record->files)
      files.push_back({(input.artifact->folder / file.name).string(), file.sha256, input.artifact->remedy});
  }
  return files;
}

Node to_node(const StageOrder& order) {
  Node inputs = Node::sequence();
  for (const ResolvedInput& input : order.inputs) inputs.push(to_node(input));
  Node node;
  node.set("stage", order.stage);
  node.set("kind", order.kind);
  node.set("version", order.version);
  node.set("settings", order.settings);
  node.set("seed", static_cast<std::int64_t>(order.seed));
  node.set("key", order.key.to_string());
  node.set("inputs", std::move(inputs));
  node.set("output", order.output.string());
  node.set("work", order.work.string());
  node.set("memory_limit_bytes", order.memory_limit_bytes);
  return node;
}

StageOrder order_from(const Node& node) {
  StageOrder order;
  order.stage = node.at("stage").text();
  order.kind = node.at("kind").text();
  order.version = static_cast<int>(node.at("version").integer());
  order.settings = node.at("settings");
  order.seed = static_cast<std::uint64_t>(node.at("seed").integer());
  order.key = digest_from(node.at("key"));
  for (const Node& input : node.at("inputs").items()) order.inputs.push_back(input_from(input));
  order.output = node.at("output").text();
  order.work = node.at("work").text();
  order.memory_limit_bytes = node.at("memory_limit_bytes").integer();
  return order;
}

}   // namespace lastro
