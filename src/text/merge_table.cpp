#include "text/merge_table.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>

#include "domain/errors.h"
#include "text/byte_level.h"

namespace lastro {

MergeTable::MergeTable(const BpeVocabulary& vocabulary) {
  const std::size_t size = std::bit_ceil(std::max<std::size_t>(16, vocabulary.merges.size() * 2));
  slots_.resize(size);
  mask_ = size - 1;
  shift_ = 64 - std::countr_zero(size);
  TokenId merged = vocabulary.first_merge();
  for (const auto& [left, right] : vocabulary.merges) {
    const std::uint64_t key = std::uint64_t{left} << 32 | right;
    std::size_t i = home_of(key);
    while (slots_[i].merged != no_token && slots_[i].key != key) i = (i + 1) & mask_;
    if (slots_[i].merged != no_token)
      throw ContractError("tokens " + std::to_string(left) + " and " + std::to_string(right) + " are merged twice (into " +
                          std::to_string(slots_[i].merged) + " and " + std::to_string(merged) +
                          ": the vocabulary is damaged) make it again with stage vocabulary");
    slots_[i] = {key, merged++};
  }
}

void PretokenMerger::merge(const MergeTable& table, std::vector<TokenId>& tokens) {
  constexpr std::size_t longest_short = 64;
  if (tokens.size() < 2) return;
  if (tokens.size() <= longest_short)
    merge_short(table, tokens);
  else
    merge_long(table, tokens);
}

// Looks through all pairs for each merge: quadratic, and the fastest way for a word.
void PretokenMerger::merge_short(const MergeTable& table, std::vector<TokenId>& tokens) {
  std::size_t pairs = tokens.size() - 1;
  ranks_.resize(pairs);
  for (std::size_t i = 0; i < pairs; ++i) ranks_[i] = table.find(tokens[i], tokens[i + 1]);
  while (pairs > 0) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < pairs; ++i)
      if (ranks_[i] < ranks_[best]) best = i;
    if (ranks_[best] == no_token) break;
    tokens[best] = ranks_[best];
    std::copy(tokens.begin() + best + 2, tokens.begin() + pairs + 1, tokens.begin() + best + 1);
    std::copy(ranks_.begin() + best + 1, ranks_.begin() + pairs, ranks_.begin() + best);
    --pairs;
    if (best > 0) ranks_[best - 1] = table.find(tokens[best - 1], tokens[best]);
    if (best < pairs) ranks_[best] = table.find(tokens[best], tokens[best + 1]);
  }
  tokens.resize(pairs + 1);
}

// Sweeps rank after rank over the places that hold it. A merge only makes pairs of higher rank than its own, since a token is made of earlier
// ones; so no rank comes back once it is swept, and the whole costs n log n: a million letters in a row are no way to stop a server.
void PretokenMerger::merge_long(const MergeTable& table, std::vector<TokenId>& tokens) {
  const std::size_t count = tokens.size();
  if (count >= no_token) throw ContractError("a pre-token of " + std::to_string(count) + " bytes (at most 4 GiB are merged at once) cut the text");
  constexpr std::uint32_t none = 0xFFFFFFFF;
  ranks_.assign(count, no_token);
  next_.resize(count);
  previous_.resize(count);
  std::map<TokenId, std::vector<std::uint32_t>> places_of_rank;
  const auto note = [&](std::uint32_t left) {
    const std::uint32_t right = next_[left];
    ranks_[left] = right == none ? no_token : table.find(tokens[left], tokens[right]);
    if (ranks_[left] != no_token) places_of_rank[ranks_[left]].push_back(left);
  };
  for (std::uint32_t i = 0; i < count; ++i) {
    next_[i] = i + 1 < count ? i + 1 : none;
    previous_[i] = i == 0 ? none : i - 1;
  }
  for (std::uint32_t i = 0; i < count; ++i) note(i);

  while (!places_of_rank.empty()) {
    const TokenId rank = places_of_rank.begin()->first;
    std::vector<std::uint32_t> places = std::move(places_of_rank.begin()->second);
    places_of_rank.erase(places_of_rank.begin());
    if (!std::is_sorted(places.begin(), places.end())) std::sort(places.begin(), places.end());
    for (const std::uint32_t left : places) {
      if (ranks_[left] != rank) continue;   // an earlier merge took one of the two
      const std::uint32_t right = next_[left];
      tokens[left] = rank;
      ranks_[right] = no_token;
      next_[left] = next_[right];
      if (next_[left] != none) previous_[next_[left]] = left;
      note(left);
      if (previous_[left] != none) note(previous_[left]);
    }
  }
  std::size_t kept = 0;
  for (std::uint32_t i = 0; i != none; i = next_[i]) tokens[kept++] = tokens[i];
  tokens.resize(kept);
}

std::optional<TokenId> first_unreachable(const BpeVocabulary& vocabulary) {
  const MergeTable table(vocabulary);
  const std::vector<std::string> bytes = token_bytes(vocabulary);
  std::array<TokenId, 256> id_of_byte{};
  for (TokenId place = 0; place < 256; ++place) id_of_byte[bytes_in_order()[place]] = vocabulary.first_byte() + place;
  PretokenMerger merger;
  std::vector<TokenId> tokens;
  for (TokenId id = vocabulary.first_merge(); id < vocabulary.size(); ++id) {
    tokens.clear();
    for (const char byte : bytes[id]) tokens.push_back(id_of_byte[static_cast<unsigned char>(byte)]);
    merger.merge(table, tokens);
    if (tokens.size() != 1 || tokens[0] != id) return id;
  }
  return std::nullopt;
}

}   // namespace lastro
