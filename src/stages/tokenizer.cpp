#include "stages/tokenizer.h"

#include <algorithm>
#include <numeric>

#include "core/json.h"
#include "stages/vocabulary.h"
#include "text/pretokenizer.h"
#include "text/text_file.h"
#include "text/tokenizer_files.h"
#include "text/vocabulary_files.h"

namespace lastro {
namespace {

Node size_report(const std::filesystem::path& counts, const BpeVocabulary& vocabulary) {
  const TextLength length = length_in_tokens(counts, vocabulary);
  Node report = Node::mapping();
  report.set("size", static_cast<std::int64_t>(vocabulary.size()));
  report.set("bytes", length.bytes);
  report.set("tokens", length.tokens);
  report.set("bytes_per_token", static_cast<double>(length.bytes) / static_cast<double>(std::max<std::int64_t>(1, length.tokens)));
  return report;
}

std::string lines_of(const std::vector<std::uint64_t>& counts) {
  std::string lines;
  for (const std::uint64_t count : counts) lines += std::to_string(count) + "\n";
  return lines;
}

}   // namespace

Resources TokenizerStage::resources(const Settings&, const PlanFacts& facts) {
  Resources resources;
  const UpstreamStage* vocabulary = facts.find(VocabularyStage::kind);
  const std::uint64_t text_bytes = vocabulary ? vocabulary->source_bytes : 0;
  // About a tenth of a text is distinct pre-tokens, of which each byte takes some 12 bytes here; large texts have relatively fewer.
  const auto words = static_cast<std::int64_t>(std::min<std::uint64_t>(text_bytes, 1 << 28));
  resources.memory_per_rank = {{"words and pairs", facts.fitted_memory_bytes(words)}, program_memory(facts.ranks)};
  const VocabularySettings sizes = vocabulary ? settings_from<VocabularySettings>(vocabulary->settings) : VocabularySettings{};
  const std::int64_t tokens = std::accumulate(sizes.smaller_sizes.begin(), sizes.smaller_sizes.end(), sizes.size);
  // A token stands in four files.
  resources.disk = {{"files", DiskShare::Place::store, 128 * tokens}};
  resources.other_device_s = static_cast<double>(text_bytes) / 200e6;
  return resources;
}

Node TokenizerStage::learn_and_write(RunContext& run, const std::filesystem::path& vocabulary) const {
  const VocabularyRequest request = read_vocabulary_request(vocabulary);
  const std::filesystem::path counts = vocabulary / counts_file;
  const BpeTraining training = train_from_counts(counts, request, static_cast<std::uint64_t>(settings_.min_count), run.memory_limit_bytes,
                                                 [&](std::int64_t merges) { run.tracker.progress(merges, request.size, "merges"); });
  const std::size_t size = training.vocabulary.size();
  if (size < static_cast<std::size_t>(request.size))
    run.tracker.event("vocabulary of " + std::to_string(size) + " tokens instead of " + std::to_string(request.size) + " (no other pair occurs " +
                      std::to_string(settings_.min_count) + " times)");

  write_tokenizer_files(training.vocabulary, run.output);
  write_text_file(run.output / "merge_counts.txt", lines_of(training.counts));
  Node sizes = Node::sequence();
  for (const std::int64_t smaller : request.smaller_sizes) {
    if (static_cast<std::size_t>(smaller) > size) continue;
    const BpeVocabulary prefix = prefix_of(training.vocabulary, static_cast<std::size_t>(smaller));
    write_tokenizer_files(prefix, run.output / "sizes" / std::to_string(smaller));
    sizes.push(size_report(counts, prefix));
  }
  const Node whole = size_report(counts, training.vocabulary);
  sizes.push(whole);
  Node report = Node::mapping();
  report.set("pretokenizer", pretokenizer_name());
  report.set("special_tokens", static_cast<std::int64_t>(request.special_tokens.size()));
  report.set("merges", static_cast<std::int64_t>(training.vocabulary.merges.size()));
  report.set("min_count", settings_.min_count);
  report.set("sizes", std::move(sizes));
  write_text_file(run.output / "report.json", to_json_pretty(report) + "\n");
  return whole;
}

StageResult TokenizerStage::run(RunContext& run, const Inputs& inputs) const {
  // One rank: the merges depend on one another. The others wait for its key numbers.
  std::string summary;
  if (run.ranks.is_root()) summary = to_json(learn_and_write(run, inputs.vocabulary.folder()));
  StageResult result;
  result.summary = parse_json(broadcast_text(run.ranks, summary), "the tokenizer's key numbers");
  return result;
}

}   // namespace lastro
