#include "data/removal_ledger.h"

#include <string>

#include "core/json.h"
#include "data/source_documents.h"
#include "data/together.h"

namespace lastro {
namespace {

std::filesystem::path part_path(const BuildState& state, int rank) { return state.folder / ("ledger-" + std::to_string(rank)); }

void set_place(const BuildState& state, const DocumentId& id, Node& node) {
  const Source& source = state.source_of(id);
  node.set("source", source.name);
  if (is_generated(source.format)) {
    node.set(source.format == SourceFormat::stories ? "story" : "question", static_cast<std::int64_t>(id.document));
    return;
  }
  node.set("file", source.files[id.document >> file_shift].sha256.hex());
  node.set("offset", static_cast<std::int64_t>(id.document & ((std::uint64_t{1} << file_shift) - 1)));
}

std::string line_of(const BuildState& state, const Removal& removal) {
  Node line = Node::mapping();
  set_place(state, removal.id, line);
  line.set("sha256", removal.digest.hex());
  line.set("rule", name_of(removal.rule));
  line.set("action", removal.is_reported != 0 ? "reported" : "removed");
  if (removal.rule != Rule::too_short) {
    Node of = Node::mapping();
    set_place(state, removal.of, of);
    line.set("of", std::move(of));
  }
  if (removal.rule == Rule::near_duplicate) {
    line.set("shingles_in_common", static_cast<std::int64_t>(removal.common));
    line.set("shingles", static_cast<std::int64_t>(removal.all));
  }
  return to_json(line) + "\n";
}

}   // namespace

std::string_view name_of(Rule rule) {
  switch (rule) {
    case Rule::too_short: return "too_short";
    case Rule::exact_duplicate: return "exact_duplicate";
    case Rule::contaminated: return "contaminated";
    case Rule::near_duplicate: return "near_duplicate";
  }
  return "?";
}

void write_removal_ledger(BuildState& state) {
  Collective& ranks = state.run.ranks;
  together(state.run, [&] {
    WriteFile part(part_path(state, ranks.rank().value));
    state.log.sorted().for_each([&](const Removal& removal) { part.append(std::as_bytes(std::span(&removal, 1))); });
    part.close();
  });
  together(state.run, [&] {
    if (!ranks.is_root()) return;
    WriteFile ledger(state.run.output / "removed.jsonl");
    std::vector<ReadFile> files;
    for (int rank = 0; rank < ranks.size(); ++rank) files.emplace_back(part_path(state, rank));
    std::vector<RecordReader<Removal>> readers;
    for (const ReadFile& file : files) readers.emplace_back(file, 0, file.size() / sizeof(Removal), 64 * 1024);
    merge_ascending(readers, [&](const Removal& removal) { ledger.append(line_of(state, removal)); });
    ledger.close();
  });
}

}   // namespace lastro
