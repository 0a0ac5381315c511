#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "text/bpe_training.h"

namespace lastro {

// A Vocabulary artifact: what there is to make tokens of.
//
//   pretokens.counts     how often each pre-token occurs (text/pretoken_counts.h)
//   vocabulary.json      {"pretokenizer", "size", "smaller_sizes", "special_tokens", and the report: "pretokens", "distinct_pretokens", "sources"}
struct VocabularyRequest {
  std::int64_t size = 0;                     // tokens, special ones and bytes included
  std::vector<std::int64_t> smaller_sizes;   // further vocabularies from the same training
  std::vector<std::string> special_tokens;
};
inline constexpr std::string_view counts_file = "pretokens.counts";
inline constexpr std::string_view vocabulary_file = "vocabulary.json";

// Throws ContractError when the file is damaged or made with another pre-tokenisation than this program's.
VocabularyRequest read_vocabulary_request(const std::filesystem::path& folder);

// Learns the merges from a Vocabulary's counts. Throws BudgetError when it does not fit into `memory_limit_bytes` (0: none).
BpeTraining train_from_counts(const std::filesystem::path& counts, const VocabularyRequest& request, std::uint64_t min_count,
                              std::int64_t memory_limit_bytes, const std::function<void(std::int64_t)>& progress = {});

// What encoding the counted text would make. Both are exact sums over the counts.
struct TextLength {
  std::int64_t bytes = 0;
  std::int64_t tokens = 0;
};
TextLength length_in_tokens(const std::filesystem::path& counts, const BpeVocabulary& vocabulary);

}   // namespace lastro
