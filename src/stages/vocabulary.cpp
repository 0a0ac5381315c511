#include "stages/vocabulary.h"

#include <algorithm>

#include "core/json.h"
#include "data/malformed_rows.h"
#include "domain/errors.h"
#include "text/count_documents.h"
#include "text/pretokenizer.h"
#include "text/text_file.h"
#include "text/vocabulary_files.h"

namespace lastro {
namespace {

std::vector<std::string> all_special_tokens(const VocabularySettings& settings) {
  std::vector<std::string> tokens = standard_special_tokens();
  tokens.insert(tokens.end(), settings.special_tokens.begin(), settings.special_tokens.end());
  return tokens;
}

// Text of this form is always cut after "<|": no token that is learnt can be spelled like it.
bool has_special_form(std::string_view token) {
  if (token.size() < 5 || !token.starts_with("<|") || !token.ends_with("|>")) return false;
  const std::string_view name = token.substr(2, token.size() - 4);
  const auto is_plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; };
  return std::all_of(name.begin(), name.end(), is_plain);
}

Node report_of(const CountedDocuments& counted, const Sources& sources) {
  Node report = Node::sequence();
  for (std::size_t s = 0; s < sources.size(); ++s) {
    Node source = Node::mapping();
    source.set("name", sources[s].name);
    source.set("documents", counted.sources[s].documents);
    source.set("bytes", counted.sources[s].bytes);
    source.set("counted_bytes", counted.sources[s].counted_bytes);
    report.push(std::move(source));
  }
  return report;
}

template <class T>
Node sequence_of(const std::vector<T>& values) {
  Node sequence = Node::sequence();
  for (const T& value : values) sequence.push(value);
  return sequence;
}

}   // namespace

void VocabularyStage::check(const Settings& settings, SettingsCheck& check) {
  const auto specials = all_special_tokens(settings);
  const auto least = static_cast<std::int64_t>(specials.size()) + 256;
  if (settings.size < least) check.refuse("size", "must be at least " + std::to_string(least) + ": 256 bytes and the special tokens");
  const auto item = [](const char* list, std::size_t index) { return list + ("." + std::to_string(index)); };
  for (std::size_t i = 0; i < settings.smaller_sizes.size(); ++i)
    if (const std::int64_t smaller = settings.smaller_sizes[i]; smaller < least || smaller >= settings.size)
      check.refuse(item("smaller_sizes", i), "must be at least " + std::to_string(least) + " and below size=" + std::to_string(settings.size));
  const std::size_t standard = specials.size() - settings.special_tokens.size();
  for (std::size_t i = standard; i < specials.size(); ++i) {
    const std::string field = item("special_tokens", i - standard);
    if (!has_special_form(specials[i])) check.refuse(field, "must have the form <|name|> with a name of letters, digits and _");
    if (std::find(specials.begin(), specials.begin() + static_cast<std::ptrdiff_t>(i), specials[i]) !=
        specials.begin() + static_cast<std::ptrdiff_t>(i))
      check.refuse(field, "is there twice; the standard ones are there already");
  }
}

Resources VocabularyStage::resources(const Settings&, const PlanFacts& facts) {
  constexpr std::int64_t without_limit = std::int64_t{512} << 20;   // count_documents takes half of 1 GiB then
  Resources resources;
  const std::int64_t most = facts.memory_limit_bytes > 0 ? facts.memory_limit_bytes / 2 : without_limit;
  const std::int64_t counts_in_memory = std::min(most, static_cast<std::int64_t>(facts.source_bytes));
  resources.memory_per_rank = {{"pre-token counts", facts.fitted_memory_bytes(counts_in_memory)}, program_memory(facts.ranks)};
  const auto counts = static_cast<std::int64_t>(facts.source_bytes / 16);
  resources.disk = {{"counts", DiskShare::Place::store, counts}, {"counts of ranks", DiskShare::Place::work, counts}};
  resources.other_device_s = static_cast<double>(facts.source_bytes) / 50e6;   // about what one core counts a second
  return resources;
}

StageResult VocabularyStage::run(RunContext& run, const Inputs& inputs) const { return run_on(run, *open_documents(inputs.text), inputs.text); }

StageResult VocabularyStage::run_on(RunContext& run, const DocumentStream& documents, const Sources& sources) const {
  SamplePlan plan;
  plan.sample_bytes = settings_.sample_bytes;
  for (const Source& source : sources) plan.weights.push_back(source.weight);
  const CountedDocuments counted = count_documents(run, documents, plan, run.output / counts_file);
  judge_malformed_rows(run, sources, counted.read, settings_.malformed);
  std::int64_t bytes = 0, bytes_read = 0;
  for (const CountedSource& source : counted.sources) {
    bytes += source.counted_bytes;
    bytes_read += source.bytes;
  }
  if (bytes_read == 0) throw ContractError("the text sources hold no text (" + names_of(sources) + ": 0 bytes to count) name files that have some");
  if (bytes == 0)
    throw ContractError("settings.sample_bytes=" + std::to_string(settings_.sample_bytes) + " drew nothing to count of " +
                        std::to_string(bytes_read) + " bytes of text (a sample takes segments of up to " + std::to_string(sampled_segment_bytes) +
                        " bytes) raise it, or say 0 to count all");

  StageResult result;
  result.summary.set("size", settings_.size);
  result.summary.set("counted_bytes", bytes);
  result.summary.set("pretokens", counted.totals.pretokens);
  result.summary.set("distinct_pretokens", counted.totals.distinct);
  result.measured.set("spills", counted.spills);
  if (run.ranks.is_root()) {
    Node file = Node::mapping();
    file.set("pretokenizer", pretokenizer_name());
    file.set("size", settings_.size);
    file.set("smaller_sizes", sequence_of(settings_.smaller_sizes));
    file.set("special_tokens", sequence_of(all_special_tokens(settings_)));
    file.set("pretokens", counted.totals.pretokens);
    file.set("distinct_pretokens", counted.totals.distinct);
    file.set("sources", report_of(counted, sources));
    write_text_file(run.output / vocabulary_file, to_json_pretty(file) + "\n");
  }
  run.ranks.barrier();
  return result;
}

}   // namespace lastro
