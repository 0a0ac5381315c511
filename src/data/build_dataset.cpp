#include "data/build_dataset.h"

#include <set>
#include <string>

#include "core/json.h"
#include "data/build_state.h"
#include "data/decontaminate.h"
#include "data/exact_duplicates.h"
#include "data/ingest.h"
#include "data/near_duplicates.h"
#include "data/removal_ledger.h"
#include "data/shards.h"
#include "data/together.h"
#include "domain/errors.h"

namespace lastro {
namespace {

void refuse_equal_names(const Sources& sources) {
  std::set<std::string> names;
  for (const Source& source : sources)
    if (!names.insert(source.name).second)
      throw ContractError("source " + source.name + " is listed twice (its shards would have one name). Name each source once in inputs", source.name,
                          "one source a name", "two");
}

// A temporary folder of all ranks, empty: what an earlier, interrupted attempt left is not to be mixed with this one's.
std::filesystem::path fresh_folder(RunContext& run) {
  const std::filesystem::path folder = run.work / "dataset";
  together(run, [&] {
    if (!run.ranks.is_root()) return;
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
  });
  return folder;
}

using RemovalCounts = std::vector<std::array<std::int64_t, rules>>;

RemovalCounts counts_over_ranks(BuildState& state) {
  RemovalCounts counts = state.log.counts();
  for (auto& of_source : counts) state.run.ranks.all_sum(of_source);
  return counts;
}

void refuse_empty(const BuildState& state, const Ingested& ingested) {
  std::int64_t documents = 0, clean_bytes = 0;
  for (std::size_t s = 0; s < state.text.size(); ++s) {
    documents += ingested.sources[s].documents;
    clean_bytes += ingested.sources[s].clean_bytes;
  }
  if (clean_bytes > 0) return;
  throw ContractError("there is no text in " + names_of(state.text) + " (" + std::to_string(documents) + " documents, none of " +
                          std::to_string(state.settings.min_document_bytes) + " bytes or more). Name other files, or lower min_document_bytes",
                      names_of(state.text), "text", "none");
}

void refuse_all_gone(const BuildState& state, const Ingested& ingested, const RemovalCounts& counts, std::int64_t left) {
  std::int64_t documents = 0, duplicates = 0, contaminated = 0;
  for (std::size_t s = 0; s < state.text.size(); ++s) {
    documents += ingested.sources[s].documents;
    duplicates += counts[s][static_cast<int>(Rule::exact_duplicate)] + counts[s][static_cast<int>(Rule::near_duplicate)];
    contaminated += counts[s][static_cast<int>(Rule::contaminated)];
  }
  if (left > 1 || (left == 1 && duplicates == 0)) return;
  const std::string name = names_of(state.text);
  if (duplicates > 0 && left == 1)
    throw ContractError("the " + std::to_string(documents) + " documents of " + name + " are one text again and again (" +
                            std::to_string(duplicates) +
                            " are duplicates; a model would learn it by heart). Name other files, or turn settings.dedup off",
                        name, "two different documents", "one");
  throw ContractError("no document of " + name + " is left (" + std::to_string(contaminated) + " of " + std::to_string(documents) +
                          " hold evaluation items, " + std::to_string(duplicates) + " are duplicates). Name other files or evaluation sources",
                      name, "documents to train on", "none");
}

// Better here than when a trained model is to be measured on it.
void refuse_nothing_held_out(const BuildState& state, const HeldOutRule& rule) {
  if (state.settings.held_out <= 0 || rule.can_part()) return;
  const std::string name = names_of(state.text);
  throw ContractError(
      "nothing of " + name + " can be held out (it is a single document, and held_out=" + to_json(Node(state.settings.held_out)) +
          " asks for a part of the documents; one of a text file is about 2 KB). Name more text, or set held_out: 0 and evaluate nothing",
      name, "two different documents", "one");
}

Node node_of(const BuildState& state, const Ingested& ingested, const RemovalCounts& counts) {
  Node list = Node::sequence();
  for (std::size_t s = 0; s < ingested.sources.size(); ++s) {
    const auto& read = ingested.sources[s];
    Node node = Node::mapping();
    node.set("source", state.source_of({static_cast<std::uint32_t>(s), 0, 0}).name);
    node.set("use", s < state.text.size() ? "text" : "evaluation");
    node.set("documents", read.documents);
    node.set("malformed_rows", read.malformed);
    node.set("clean_bytes", read.clean_bytes);
    node.set("invalid_utf8_bytes", read.cleaned.invalid_bytes);
    node.set("control_bytes", read.cleaned.control_bytes);
    for (int rule = 0; rule < rules; ++rule) node.set(name_of(static_cast<Rule>(rule)), counts[s][rule]);
    list.push(std::move(node));
  }
  return list;
}

Node summary_of(const DatasetLayout& layout, const Node& sources) {
  const auto total = [](const std::vector<ShardedSource>& list, auto count) {
    std::int64_t sum = 0;
    for (const ShardedSource& source : list) sum += (source.*count)();
    return sum;
  };
  Node node = Node::mapping();
  node.set("documents", total(layout.train, &ShardedSource::documents));
  node.set("tokens", total(layout.train, &ShardedSource::tokens));
  node.set("text_bytes", total(layout.train, &ShardedSource::text_bytes));
  node.set("held_out_documents", total(layout.held_out, &ShardedSource::documents));
  node.set("held_out_tokens", total(layout.held_out, &ShardedSource::tokens));
  node.set("held_out_text_bytes", total(layout.held_out, &ShardedSource::text_bytes));
  node.set("evaluation_items", total(layout.evaluation, &ShardedSource::documents));
  for (const std::string_view count :
       {"malformed_rows", "invalid_utf8_bytes", "control_bytes", "too_short", "exact_duplicate", "contaminated", "near_duplicate"}) {
    std::int64_t sum = 0;
    for (const Node& source : sources.items()) sum += source.at(count).integer();
    node.set(count, sum);
  }
  return node;
}

void write_layout(const BuildState& state, const DatasetLayout& layout, const Node& sources) {
  Node root = Node::mapping();
  root.set("layout", to_node(layout));
  root.set("sources", sources);
  root.set("settings", to_node(state.settings));
  root.set("seed", static_cast<std::int64_t>(state.run.seed));
  WriteFile file(state.run.output / "dataset.json");
  file.append(to_json_pretty(root));
  file.append("\n");
  file.close();
}

void copy_tokenizer(const Tokenizer& tokenizer, const std::filesystem::path& output) {
  std::filesystem::create_directories(output / "tokenizer");
  for (const char* name : {"tokenizer.json", "tokenizer_config.json"})
    std::filesystem::copy_file(tokenizer.folder() / name, output / "tokenizer" / name, std::filesystem::copy_options::overwrite_existing);
}

}   // namespace

StageResult build_dataset(RunContext& run, const DatasetSettings& settings, const Tokenizer& tokenizer, const Sources& text,
                          const Sources& evaluation) {
  refuse_equal_names(text);
  refuse_equal_names(evaluation);
  const BpeTokenizer bpe = BpeTokenizer::load(tokenizer.folder());
  const std::filesystem::path folder = fresh_folder(run);
  const std::string rank = std::to_string(run.ranks.rank().value);
  BuildState state{run,
                   settings,
                   text,
                   evaluation,
                   folder,
                   DocumentStore(folder, run.ranks.rank().value),
                   RemovalLog(folder / ("log-" + rank), memory_share(run, 4), text.size() + evaluation.size())};

  const Ingested ingested = ingest(state);
  refuse_empty(state, ingested);
  if (settings.dedup.exact) remove_exact_duplicates(state);
  decontaminate(state);
  if (settings.dedup.near) remove_near_duplicates(state);
  const HeldOutRule held_out(state);
  const RemovalCounts counts = counts_over_ranks(state);
  refuse_all_gone(state, ingested, counts, held_out.documents());
  refuse_nothing_held_out(state, held_out);

  DatasetLayout layout = write_shards(state, bpe, held_out);
  layout.tokenizer = tokenizer.digest();
  write_removal_ledger(state);
  const Node sources = node_of(state, ingested, counts);
  together(run, [&] {
    if (!run.ranks.is_root()) return;
    copy_tokenizer(tokenizer, run.output);
    write_layout(state, layout, sources);
    std::filesystem::remove_all(folder);
  });
  return {summary_of(layout, sources), Node::mapping(), std::nullopt};
}

}   // namespace lastro
