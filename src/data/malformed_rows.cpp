#include "data/malformed_rows.h"

#include <algorithm>
#include <string>

#include "core/json.h"
#include "data/utf16.h"
#include "domain/errors.h"

namespace lastro {
namespace {

constexpr std::int64_t malformed_in_any_case = 10;

std::string to_text(const std::vector<MalformedRow>& rows) {
  Node list = Node::sequence();
  for (const MalformedRow& row : rows) {
    Node entry = Node::mapping();
    entry.set("file", static_cast<std::int64_t>(row.file));
    entry.set("row", row.row);
    entry.set("text", row.text);
    list.push(std::move(entry));
  }
  return to_json(list);
}

// The first malformed rows over all ranks, in the order of files and rows: "rows.jsonl:3: ...; rows.jsonl:17: ...".
std::string first_of(Collective& ranks, const std::vector<MalformedRow>& mine) {
  std::vector<MalformedRow> rows;
  for (const std::string& text : all_gather_text(ranks, to_text(mine))) {
    const Node list = parse_json(text, "a rank's malformed rows");
    for (const Node& entry : list.items())
      rows.push_back({static_cast<std::size_t>(entry.at("file").integer()), entry.at("row").integer(), entry.at("text").text()});
  }
  std::sort(rows.begin(), rows.end());
  std::string text;
  for (std::size_t i = 0; i < std::min(rows.size(), ReadReport::named); ++i) text += (i == 0 ? "" : "; ") + rows[i].text;
  return text;
}

std::string remedy(const Source& source) {
  if (const std::string utf16 = words_for_utf16(source); !utf16.empty()) return utf16;
  return "Mend the file, or name the field that holds the text: sources." + source.name + ".text_field (it is " + source.text_field + ")";
}

}   // namespace

void judge_malformed_rows(RunContext& run, const Sources& sources, const std::vector<ReadReport::OfSource>& reports, double most_share) {
  for (std::size_t s = 0; s < sources.size(); ++s) {
    std::int64_t counts[2] = {reports[s].malformed, reports[s].rows};
    run.ranks.all_sum(counts);
    const auto [malformed, rows] = counts;
    if (malformed == 0) continue;
    const std::string text = "source " + sources[s].name + ": " + std::to_string(malformed) + " of " + std::to_string(rows) +
                             " rows are malformed: " + first_of(run.ranks, reports[s].first_malformed);
    if (malformed == rows) throw ContractError(text + " (no row has text). " + remedy(sources[s]), sources[s].name, "rows with text", "none");
    const std::int64_t most = std::max(malformed_in_any_case, static_cast<std::int64_t>(most_share * static_cast<double>(rows)));
    if (malformed > most)
      throw ContractError(text + " (more than the share that settings.malformed allows). " + remedy(sources[s]) +
                              ", or raise settings.malformed of every stage that reads it",
                          sources[s].name, "at most " + std::to_string(most) + " malformed rows", std::to_string(malformed));
    run.tracker.event(text);
  }
}

}   // namespace lastro
