#include "runtime/agreement.h"

#include "core/json.h"
#include "domain/errors.h"

namespace lastro {
namespace {

Node to_node(const Testimony& testimony) {
  Node files = Node::sequence();
  for (const auto& [index, digest] : testimony.files) {
    Node file;
    file.set("index", static_cast<std::int64_t>(index));
    file.set("digest", digest.to_string());
    files.push(std::move(file));
  }
  Node node;
  node.set("plan", testimony.plan.to_string());
  node.set("binary", testimony.binary.to_string());
  node.set("nonce", testimony.nonce);
  node.set("files", std::move(files));
  return node;
}

Digest hash_of(const NamedFile& file, const Witness& witness) {
  try {
    return witness.hash_file(file.path);
  } catch (const EnvironmentError& error) {   // gone, or unreadable
    throw ContractError(std::string(error.what()) + (file.remedy.empty() ? "" : " ") + file.remedy, file.path, file.wanted.to_string(), "nothing");
  }
}

std::string give_testimony(const Collective& ranks, std::string_view plan, const Witness& witness) {
  try {
    const std::vector<NamedFile> files = witness.files_in(plan);
    Testimony testimony{witness.hash_plan(plan), witness.hash_binary(), witness.read_nonce(), {}};
    for (std::size_t i = ranks.rank().value; i < files.size(); i += ranks.size()) testimony.files.emplace_back(i, hash_of(files[i], witness));
    return to_json(to_node(testimony));
  } catch (const Error& error) {   // every rank must hear of it, so it travels as an answer
    Node node;
    node.set("error", std::string(error.what()));
    return to_json(node);
  }
}

struct Difference {
  std::string what;
  std::string why;
  std::string wanted;
  std::string found;
  std::string remedy = {};
};

std::optional<Difference> first_difference(const Node& root, const Node& answer, const std::vector<NamedFile>& files) {
  if (const Node* error = answer.find("error")) return Difference{"its inputs", error->text(), "", ""};
  const auto differs = [&](const char* key, const char* what, const char* why) -> std::optional<Difference> {
    if (root.at(key) == answer.at(key)) return std::nullopt;
    return Difference{what, why, root.at(key).text(), answer.at(key).text()};
  };
  if (auto found = differs("plan", "the stage's plan", "what arrived is not what rank 0 sent; the network or memory is faulty")) return found;
  if (auto found = differs("binary", "its program", "another build of lastro-rank runs there; install the same one on every node")) return found;
  if (auto found = differs("nonce", "the run directory", "it does not see rank 0's folder; --run must be shared by all nodes")) return found;
  for (const Node& file : answer.at("files").items()) {
    const NamedFile& named = files[file.at("index").integer()];
    if (file.at("digest").text() != named.wanted.to_string())
      return Difference{named.path, "the file changed or is damaged", named.wanted.to_string(), file.at("digest").text(), named.remedy};
  }
  return std::nullopt;
}

}   // namespace

std::string agree_on(Collective& ranks, std::string_view plan_of_root, std::string_view nonce_of_root, const Witness& witness) {
  std::string plan = broadcast_text(ranks, plan_of_root);
  const std::vector<std::string> answers = all_gather_text(ranks, give_testimony(ranks, plan, witness));
  Node root = parse_json(answers[0], "the answer of rank 0");
  if (const Node* error = root.find("error")) throw ContractError("rank 0: " + error->text());
  const std::vector<NamedFile> files = witness.files_in(plan);
  root.set("nonce", broadcast_text(ranks, nonce_of_root));
  for (int rank = 0; rank < ranks.size(); ++rank) {
    const auto difference = first_difference(root, parse_json(answers[rank], "the answer of rank " + std::to_string(rank)), files);
    if (!difference) continue;
    const std::string hashes = difference->wanted.empty() ? "" : ": wanted " + difference->wanted + ", found " + difference->found;
    throw ContractError("rank " + std::to_string(rank) + " differs in " + difference->what + hashes + " (" + difference->why + ")" +
                            (difference->remedy.empty() ? "" : " " + difference->remedy),
                        difference->what, difference->wanted, difference->found, rank);
  }
  return plan;
}

}   // namespace lastro
