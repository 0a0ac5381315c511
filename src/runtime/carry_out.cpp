#include "runtime/carry_out.h"

#include <algorithm>
#include <filesystem>

#include "core/hash.h"
#include "core/json.h"
#include "domain/errors.h"

namespace lastro {
namespace fs = std::filesystem;
namespace {

std::vector<std::string> names_below(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) names.push_back(fs::relative(entry.path(), folder).generic_string());
  std::sort(names.begin(), names.end());
  return names;
}

Node to_node(const ArtifactFile& file) {
  Node node;
  node.set("name", file.name);
  node.set("bytes", static_cast<std::int64_t>(file.bytes));
  node.set("sha256", file.sha256.to_string());
  return node;
}

// A stage's result has to be the same everywhere; the first thing to know when it is not is who differs.
void expect_equal_results(Collective& ranks, const StageOrder& order, const StageResult& result) {
  Node mine = result.summary;
  if (result.content) mine.set("content", result.content->to_string());
  const std::vector<std::string> all = all_gather_text(ranks, to_canonical_json(mine));
  for (int rank = 1; rank < ranks.size(); ++rank)
    if (all[rank] != all[0])
      throw ContractError("rank " + std::to_string(rank) + " made another result of " + order.stage + " than rank 0: " + all[rank] + " instead of " +
                              all[0] + " (a broken processor or a broken stage)",
                          order.stage, all[0], all[rank], rank);
}

}   // namespace

std::vector<ArtifactFile> hash_files(Collective& ranks, const fs::path& folder) {
  const std::string listing = broadcast_text(ranks, ranks.is_root() ? to_json(Node([&] {
                                               Node::Sequence names;
                                               for (const std::string& name : names_below(folder)) names.emplace_back(name);
                                               return names;
                                             }()))
                                                                    : std::string());
  const Node names = parse_json(listing, "the list of files");
  Node mine = Node::sequence();
  for (std::size_t i = ranks.rank().value; i < names.items().size(); i += ranks.size()) {
    const std::string& name = names.items()[i].text();
    mine.push(to_node(ArtifactFile{name, fs::file_size(folder / name), sha256_file(folder / name)}));
  }
  std::vector<ArtifactFile> files;
  for (const std::string& part : all_gather_text(ranks, to_json(mine))) {
    const Node list = parse_json(part, "a list of files");
    for (const Node& file : list.items())
      files.push_back({file.at("name").text(), static_cast<std::uint64_t>(file.at("bytes").integer()), *Digest::parse(file.at("sha256").text())});
  }
  std::sort(files.begin(), files.end(), [](const ArtifactFile& a, const ArtifactFile& b) { return a.name < b.name; });
  return files;
}

MadeArtifact carry_out(StageMachine& machine, const StageOrder& order_of_root, std::string_view nonce_of_root,
                       const std::function<Tracker&(const StageOrder& order)>& begins) {
  Witness witness = machine.witness;
  witness.files_in = [&](std::string_view plan) { return files_of(order_from(parse_json(plan, "the order")), machine.store); };
  const std::string plan = agree_on(machine.ranks, to_json(to_node(order_of_root)), nonce_of_root, witness);
  const StageOrder order = order_from(parse_json(plan, "the order"));

  const StageKind* kind = machine.registry.find(order.kind);
  if (!kind || kind->version != order.version)
    throw InternalError("stage kind " + order.kind + " version " + std::to_string(order.version) + " is not in this program");
  Tracker& tracker = begins(order);
  const std::unique_ptr<Checkpoints> checkpoints = machine.open_checkpoints(order, tracker);
  RunContext run{.ranks = machine.ranks,
                 .workers = machine.workers,
                 .tracker = tracker,
                 .seed = order.seed,
                 .stage_key = order.key,
                 .output = order.output,
                 .work = order.work,
                 .checkpoints = *checkpoints,
                 .memory_limit_bytes = order.memory_limit_bytes,
                 .stop_requested = machine.stop_requested};
  StageResult result = kind->run(run, order.settings, order.inputs);
  machine.ranks.barrier();
  expect_equal_results(machine.ranks, order, result);

  MadeArtifact made;
  made.record.type = kind->output;
  made.record.files = hash_files(machine.ranks, order.output);
  made.record.digest = result.content ? *result.content : digest_of_files(made.record.type, made.record.files);
  made.record.summary = std::move(result.summary);
  made.measured = std::move(result.measured);
  return made;
}

}   // namespace lastro
