#include "eval/held_out.h"

#include <algorithm>
#include <bit>

#include "data/token_shards.h"

namespace lastro {

TokenRow read_row(const std::filesystem::path& dataset_folder, const DatasetLayout& layout, Split split, std::int64_t most_tokens) {
  TokenRow row{layout.end_of_document};
  for_each_document(dataset_folder, layout, split, [&](const TokenDocument& document) {
    if (static_cast<std::int64_t>(row.size()) > most_tokens) return;
    row.insert(row.end(), document.tokens.begin(), document.tokens.end());
    row.push_back(layout.end_of_document);
  });
  if (static_cast<std::int64_t>(row.size()) > most_tokens + 1) row.resize(most_tokens + 1);
  return row;
}

std::vector<TokenId> read_last_tokens(const std::filesystem::path& dataset_folder, const DatasetLayout& layout, Split split,
                                      std::int64_t most_tokens) {
  std::int64_t all = 0;
  for (const ShardedSource& source : layout.of(split)) all += source.tokens();
  std::vector<TokenId> tokens(std::min(all, most_tokens));
  std::int64_t skip = all - static_cast<std::int64_t>(tokens.size());
  std::size_t filled = 0;
  for (const ShardedSource& source : layout.of(split)) {
    const TokenShards shards(dataset_folder, layout, source);
    const std::int64_t begin = std::min(skip, shards.tokens());
    skip -= begin;
    const std::size_t count = shards.tokens() - begin;
    shards.read(begin, std::span(tokens).subspan(filled, count));
    filled += count;
  }
  return tokens;
}

std::vector<Window> windows_over(std::int64_t tokens, std::int64_t context, double overlap) {
  const std::int64_t stride = std::max<std::int64_t>(1, context - static_cast<std::int64_t>(overlap * static_cast<double>(context)));
  std::vector<Window> windows;
  for (std::int64_t first = 1; first < tokens;) {
    const std::int64_t length = windows.empty() ? context : stride;
    const std::int64_t end = std::min(first + length, tokens) - 1;
    windows.push_back({std::max<std::int64_t>(0, end - context), first, end});
    first = end + 1;
  }
  return windows;
}

std::vector<ScoredWindow> score_row(const TokenRow& row, const std::vector<Window>& windows, const ModelShape& shape, const ModelWeights& weights,
                                    const BpeTokenizer& tokenizer, RunContext& run) {
  std::vector<std::int64_t> bits(windows.size(), 0);   // of the windows' sums; others' are 0, so a sum of integers brings all together
  for (std::size_t k = run.ranks.rank().value; k < windows.size() && !run.is_asked_to_stop(); k += run.ranks.size()) {
    const Window& window = windows[k];
    const auto tokens = std::span(row).subspan(window.begin, window.end - window.begin + 1);
    const std::vector<float> log_probs = token_logprobs(shape, weights, tokens, run.workers);   // [i] is of target window.begin + 1 + i
    double nats = 0;
    for (std::int64_t target = window.first; target <= window.end; ++target) nats -= static_cast<double>(log_probs[target - window.begin - 1]);
    bits[k] = std::bit_cast<std::int64_t>(nats);
    run.tracker.progress(static_cast<std::int64_t>(k) + 1, static_cast<std::int64_t>(windows.size()), "windows");
  }
  run.ranks.all_sum(bits);

  std::vector<ScoredWindow> scored(windows.size());
  for (std::size_t k = 0; k < windows.size(); ++k) {
    scored[k].negative_log_likelihood = std::bit_cast<double>(bits[k]);
    scored[k].tokens = windows[k].end - windows[k].first + 1;
    for (std::int64_t target = windows[k].first; target <= windows[k].end; ++target)
      if (!tokenizer.is_special(row[target])) scored[k].bytes += static_cast<std::int64_t>(tokenizer.bytes_of(row[target]).size());
  }
  return scored;
}

}   // namespace lastro
