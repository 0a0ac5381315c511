#include "eval/ngram.h"

#include <algorithm>
#include <cmath>

namespace lastro {
namespace {

// Of the `length` tokens that end before `end`. 64 bits: among the n-grams of a corpus that fits in memory two are alike by chance once in 1e5
// corpora.
std::uint64_t hash_of(std::span<const TokenId> text, std::size_t end, int length) {
  std::uint64_t hash = 0x9E3779B97F4A7C15u + length;
  for (std::size_t i = end - length; i < end; ++i) {
    hash = (hash ^ text[i]) * 0xD6E8FEB86659FD93u;
    hash ^= hash >> 32;
  }
  return hash;
}

struct Occurrence {
  std::uint64_t hash;
  std::size_t end;   // one past the n-gram's last token
};

template <class OnGroup>
void for_each_group(std::vector<Occurrence>& occurrences, OnGroup on_group) {
  std::sort(occurrences.begin(), occurrences.end(),
            [](const Occurrence& a, const Occurrence& b) { return a.hash != b.hash ? a.hash < b.hash : a.end < b.end; });
  for (std::size_t begin = 0; begin < occurrences.size();) {
    std::size_t end = begin;
    while (end < occurrences.size() && occurrences[end].hash == occurrences[begin].hash) ++end;
    on_group(occurrences[begin], static_cast<std::uint32_t>(end - begin));
    begin = end;
  }
}

std::size_t place_of(const std::vector<std::uint64_t>& sorted, std::uint64_t hash) {
  const auto found = std::lower_bound(sorted.begin(), sorted.end(), hash);
  return found != sorted.end() && *found == hash ? found - sorted.begin() : sorted.size();
}

}   // namespace

NgramModel::NgramModel(std::span<const TokenId> training, std::int64_t vocabulary_size) : uniform_(1.0 / static_cast<double>(vocabulary_size)) {
  std::vector<std::size_t> ends;   // of one occurrence of each distinct n-gram of the level above; of all places for the longest
  std::vector<Occurrence> occurrences;
  ends.reserve(training.size()), occurrences.reserve(training.size());
  for (std::size_t end = order; end <= training.size(); ++end) ends.push_back(end);
  for (int length = order; length >= 1; --length) {
    Level& level = levels_[length];
    level.reserve(ends.size());   // what is not filled takes no memory
    occurrences.clear();
    for (const std::size_t end : ends) occurrences.push_back({hash_of(training, end, length), end});
    ends.clear();
    std::int64_t once = 0, twice = 0;
    for_each_group(occurrences, [&](const Occurrence& first, std::uint32_t count) {
      level.grams.push_back(first.hash);
      level.gram_counts.push_back(count);
      ends.push_back(first.end);
      once += count == 1;
      twice += count == 2;
    });
    // Where nothing occurs twice the formula would take all away from what was seen.
    level.discount = once > 0 ? std::min(0.9, static_cast<double>(once) / static_cast<double>(once + 2 * twice)) : 0.5;

    occurrences.clear();   // now of contexts; `end` is the place of the n-gram in the level
    for (std::size_t i = 0; i < ends.size(); ++i) occurrences.push_back({hash_of(training, ends[i] - 1, length - 1), i});
    std::uint32_t total = 0;
    std::uint64_t open = 0;
    std::uint32_t followers = 0;
    const auto close = [&] {
      if (followers == 0) return;
      level.contexts.push_back(open);
      level.context_totals.push_back(total);
      level.context_followers.push_back(followers);
      total = followers = 0;
    };
    std::sort(occurrences.begin(), occurrences.end(), [](const Occurrence& a, const Occurrence& b) { return a.hash < b.hash; });
    for (const Occurrence& context : occurrences) {
      if (context.hash != open) close();
      open = context.hash;
      total += level.gram_counts[context.end];
      ++followers;
    }
    close();
  }
}

void NgramModel::Level::reserve(std::size_t most) {
  grams.reserve(most), gram_counts.reserve(most);
  contexts.reserve(most), context_totals.reserve(most), context_followers.reserve(most);
}

double NgramModel::probability(std::span<const TokenId> text, std::size_t position, int length) const {
  if (length == 0) return uniform_;
  const double shorter = probability(text, position, length - 1);
  const Level& level = levels_[length];
  const std::size_t context = place_of(level.contexts, hash_of(text, position, length - 1));
  if (context == level.contexts.size()) return shorter;
  const std::size_t gram = place_of(level.grams, hash_of(text, position + 1, length));
  const double count = gram == level.grams.size() ? 0.0 : level.gram_counts[gram];
  const double total = level.context_totals[context];
  return std::max(count - level.discount, 0.0) / total + level.discount * level.context_followers[context] / total * shorter;
}

double NgramModel::negative_log_likelihood(std::span<const TokenId> text) const {
  double nats = 0;
  for (std::size_t i = 0; i < text.size(); ++i) nats -= std::log(probability(text, i, static_cast<int>(std::min<std::size_t>(order, i + 1))));
  return nats;
}

}   // namespace lastro
