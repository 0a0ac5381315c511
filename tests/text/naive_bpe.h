#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "text/bpe_training.h"
#include "text/byte_level.h"

namespace lastro {

// Byte-level BPE as its definition reads: everything is counted anew for each merge. The oracle of the tests.
using Words = std::vector<std::pair<std::vector<TokenId>, std::uint64_t>>;

inline std::vector<TokenId> tokens_of_bytes(const BpeVocabulary& vocabulary, std::string_view bytes) {
  std::vector<TokenId> tokens;
  for (const char byte : bytes)
    for (TokenId place = 0; place < 256; ++place)
      if (bytes_in_order()[place] == static_cast<unsigned char>(byte)) tokens.push_back(vocabulary.first_byte() + place);
  return tokens;
}

inline std::vector<TokenId> naive_merge(const std::vector<TokenId>& tokens, BpeVocabulary::Merge merge, TokenId merged) {
  std::vector<TokenId> result;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (i + 1 < tokens.size() && tokens[i] == merge.left && tokens[i + 1] == merge.right) {
      result.push_back(merged);
      ++i;
    } else {
      result.push_back(tokens[i]);
    }
  }
  return result;
}

inline std::map<std::pair<TokenId, TokenId>, std::uint64_t> naive_pair_counts(const Words& words) {
  std::map<std::pair<TokenId, TokenId>, std::uint64_t> counts;
  for (const auto& [tokens, count] : words)
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) counts[{tokens[i], tokens[i + 1]}] += count;
  return counts;
}

inline BpeTraining naive_train(const std::map<std::string, std::uint64_t>& pretokens, std::size_t size, std::uint64_t min_count,
                               std::vector<std::string> special_tokens) {
  BpeTraining training{{std::move(special_tokens), {}}, {}};
  BpeVocabulary& vocabulary = training.vocabulary;
  Words words;
  for (const auto& [bytes, count] : pretokens) words.emplace_back(tokens_of_bytes(vocabulary, bytes), count);
  while (vocabulary.size() < size) {
    std::pair<TokenId, TokenId> best;
    std::uint64_t most = 0;
    for (const auto& [pair, count] : naive_pair_counts(words))   // ascending pairs: of equal counts the first stays
      if (count > most) best = pair, most = count;
    if (most < min_count || most == 0) break;
    const auto merged = static_cast<TokenId>(vocabulary.size());
    vocabulary.merges.push_back({best.first, best.second});
    training.counts.push_back(most);
    for (auto& [tokens, count] : words) tokens = naive_merge(tokens, vocabulary.merges.back(), merged);
  }
  return training;
}

// Hugging Face's way: the listed merges, each in turn over the whole pre-token.
inline std::vector<TokenId> naive_encode(const BpeVocabulary& vocabulary, std::string_view pretoken) {
  std::vector<TokenId> tokens = tokens_of_bytes(vocabulary, pretoken);
  for (std::size_t i = 0; i < vocabulary.merges.size(); ++i)
    tokens = naive_merge(tokens, vocabulary.merges[i], vocabulary.first_merge() + static_cast<TokenId>(i));
  return tokens;
}

// tiktoken's way: any two neighbours whose concatenation is a token, lowest rank first, leftmost first.
inline std::vector<TokenId> naive_tiktoken_encode(const BpeVocabulary& vocabulary, std::string_view pretoken) {
  std::map<std::string, TokenId> ranks;
  const auto bytes = token_bytes(vocabulary);
  for (TokenId id = vocabulary.first_byte(); id < bytes.size(); ++id) ranks.emplace(bytes[id], id);
  std::vector<std::string> parts;
  for (const char byte : pretoken) parts.push_back(std::string(1, byte));
  while (true) {
    std::size_t best = parts.size();
    TokenId best_rank = 0xFFFFFFFF;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i)
      if (const auto found = ranks.find(parts[i] + parts[i + 1]); found != ranks.end() && found->second < best_rank)
        best = i, best_rank = found->second;
    if (best == parts.size()) break;
    parts[best] += parts[best + 1];
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  }
  std::vector<TokenId> tokens;
  for (const std::string& part : parts) tokens.push_back(ranks.at(part));
  return tokens;
}

}   // namespace lastro
