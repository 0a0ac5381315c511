#include "data/ngram_index.h"

#include <algorithm>
#include <array>
#include <bit>

#include "data/hash64.h"

namespace lastro {
namespace {

constexpr std::uint64_t base = 0x9E3779B97F4A7C15u;
constexpr std::array<std::uint64_t, ngram_words + 1> powers = [] {
  std::array<std::uint64_t, ngram_words + 1> values{1};
  for (int n = 1; n <= ngram_words; ++n) values[n] = values[n - 1] * base;
  return values;
}();

// The hash of a run from two prefix sums of the polynomial over its words; so runs of every length cost the same.
std::uint64_t hash_of_run(std::uint64_t prefix_before, std::uint64_t prefix_after, int words) {
  return mix64(prefix_after - prefix_before * powers[words] + static_cast<std::uint64_t>(words));
}

std::vector<std::uint64_t> prefixes_of(std::span<const std::uint64_t> words) {
  std::vector<std::uint64_t> prefixes(words.size() + 1, 0);
  for (std::size_t i = 0; i < words.size(); ++i) prefixes[i + 1] = prefixes[i] * base + words[i];
  return prefixes;
}

constexpr std::int64_t bytes_per_entry = 16 + 4;   // and its part of the filter
constexpr std::int64_t largest_index_bytes = std::int64_t{1} << 30;

}   // namespace

NgramIndex::NgramIndex(std::int64_t memory_limit_bytes)
    : capacity_(static_cast<std::size_t>(std::clamp<std::int64_t>(memory_limit_bytes, 4096, largest_index_bytes) / bytes_per_entry)) {}

bool NgramIndex::add(std::int64_t item, std::span<const std::uint64_t> words) {
  if (words.empty()) return true;
  const int run = static_cast<int>(std::min<std::size_t>(words.size(), ngram_words));
  const std::size_t runs = words.size() - run + 1;
  if (!entries_.empty() && entries_.size() + runs > capacity_) return false;
  if (entries_.empty()) entries_.reserve(std::max(capacity_, runs));
  (run < fewest_words_inside ? whole_lengths_ : lengths_) |= 1u << run;
  const auto prefixes = prefixes_of(words);
  for (std::size_t i = 0; i < runs; ++i) entries_.push_back({hash_of_run(prefixes[i], prefixes[i + run], run), item});
  return true;
}

void NgramIndex::seal() {
  std::sort(entries_.begin(), entries_.end());
  entries_.erase(std::unique(entries_.begin(), entries_.end()), entries_.end());
  filter_bits_ = std::max<int>(6, std::bit_width(entries_.size()) + 3);
  filter_.assign(std::size_t{1} << (filter_bits_ - 6), 0);
  for (const Entry& entry : entries_) {
    const std::uint64_t bit = entry.hash >> (64 - filter_bits_);
    filter_[bit / 64] |= std::uint64_t{1} << bit % 64;
  }
}

void NgramIndex::search(std::span<const std::uint64_t> words, const std::function<void(std::int64_t item)>& visit) const {
  if (entries_.empty() || words.empty()) return;
  const auto prefixes = prefixes_of(words);
  for (unsigned left = lengths_; left != 0; left &= left - 1) {
    const int run = std::countr_zero(left);
    for (std::size_t i = 0; i + run <= words.size(); ++i) look_up(hash_of_run(prefixes[i], prefixes[i + run], run), visit);
  }
  const int whole = static_cast<int>(std::min<std::size_t>(words.size(), fewest_words_inside));
  if (whole_lengths_ >> whole & 1) look_up(hash_of_run(0, prefixes[whole], whole), visit);
}

void NgramIndex::look_up(std::uint64_t hash, const std::function<void(std::int64_t item)>& visit) const {
  const std::uint64_t bit = hash >> (64 - filter_bits_);
  if ((filter_[bit / 64] >> bit % 64 & 1) == 0) return;
  for (auto entry = std::lower_bound(entries_.begin(), entries_.end(), Entry{hash, 0}); entry != entries_.end() && entry->hash == hash; ++entry)
    visit(entry->item);
}

}   // namespace lastro
