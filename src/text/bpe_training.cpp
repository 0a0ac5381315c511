#include "text/bpe_training.h"

#include <algorithm>
#include <array>
#include <optional>

#include "domain/errors.h"
#include "text/byte_level.h"

namespace lastro {
namespace {

constexpr std::int64_t largest_count = 0x7FFFFFFFFFFFFFFF;

using Pair = std::uint64_t;   // left << 32 | right: compares as (left, right)
constexpr Pair pair_of(TokenId left, TokenId right) { return std::uint64_t{left} << 32 | right; }
constexpr TokenId left_of(Pair pair) { return static_cast<TokenId>(pair >> 32); }
constexpr TokenId right_of(Pair pair) { return static_cast<TokenId>(pair); }

// Pair -> a number. Open addressing with linear probing; only ever looked up, never walked.
class PairNumbers {
 public:
  PairNumbers() : slots_(1024) {}

  static constexpr std::uint32_t absent = 0xFFFFFFFF;
  std::uint32_t find(Pair pair) const { return slots_[place_of(pair)].number; }

  // Requires: the pair is absent.
  void add(Pair pair, std::uint32_t number) {
    if (++used_ * 3 > slots_.size() * 2) grow();
    slots_[place_of(pair)] = {pair, number};
  }

  // Closes the gap: each pair behind it that its own home does not hold back moves up (Knuth, volume 3, algorithm 6.4 R).
  void remove(Pair pair) {
    --used_;
    std::size_t gap = place_of(pair);
    for (std::size_t next = (gap + 1) & mask(); slots_[next].number != absent; next = (next + 1) & mask()) {
      const std::size_t from_home = (next - home_of(slots_[next].pair)) & mask();
      if (from_home < ((next - gap) & mask())) continue;
      slots_[gap] = slots_[next];
      gap = next;
    }
    slots_[gap] = {};
  }

 private:
  struct Slot {
    Pair pair = 0;
    std::uint32_t number = absent;
  };
  std::size_t mask() const { return slots_.size() - 1; }
  std::size_t home_of(Pair pair) const { return (pair * 0x9E3779B97F4A7C15u >> 20) & mask(); }
  std::size_t place_of(Pair pair) const {
    std::size_t place = home_of(pair);
    while (slots_[place].number != absent && slots_[place].pair != pair) place = (place + 1) & mask();
    return place;
  }
  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old)
      if (slot.number != absent) slots_[place_of(slot.pair)] = slot;
  }

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
};

struct PairState {
  Pair pair = 0;
  std::int64_t count = 0;
  std::vector<std::uint32_t> words;   // each word that holds or held the pair, ascending
};

// The words with their tokens as they stand, and every pair of neighbours with its count and its words.
// Symbol is the narrowest type that holds every token id.
template <class Symbol>
class Corpus {
 public:
  Corpus(std::vector<Symbol> symbols, const std::vector<std::uint32_t>& begins, const std::vector<std::uint64_t>& counts)
      : symbols_(std::move(symbols)), begins_(begins), counts_(counts) {
    index_pairs();
  }

  // A pair that could be merged next; its count may have fallen since.
  struct Candidate {
    std::int64_t count;
    Pair pair;
    std::uint32_t number;
    bool operator<(const Candidate& other) const {   // the largest comes first
      return count != other.count ? count < other.count : pair > other.pair;
    }
  };

  std::size_t live_pairs() const { return pairs_.size() - free_numbers_.size(); }
  std::int64_t count_now(const Candidate& candidate) const {
    const PairState& state = pairs_[candidate.number];
    return state.pair == candidate.pair ? state.count : 0;   // a number is given again when its pair has died out
  }

  // The pairs that arose in the last merge, at first all pairs.
  std::vector<Candidate> arisen(std::int64_t min_count) const {
    std::vector<Candidate> candidates;
    for (const std::uint32_t number : arisen_)
      if (pairs_[number].count >= min_count) candidates.push_back({pairs_[number].count, pairs_[number].pair, number});
    return candidates;
  }

  // Merges a pair everywhere into the new token `merged`.
  void merge(const Candidate& best, TokenId merged) {
    arisen_.clear();
    const std::vector<std::uint32_t> words = std::move(pairs_[best.number].words);
    for (const std::uint32_t word : words) merge_in_word(word, left_of(best.pair), right_of(best.pair), merged);
    forget(best.number);
  }

 private:
  // Special tokens are never part of a word, and there is always one: id 0 fills what merging leaves at a word's end.
  static constexpr Symbol gone = 0;

  void index_pairs() {
    const auto each_pair = [&](auto&& visit) {
      for (std::uint32_t word = 0; word < counts_.size(); ++word)
        for (std::uint32_t i = begins_[word]; i + 1 < begins_[word + 1]; ++i) visit(word, pair_of(symbols_[i], symbols_[i + 1]));
    };
    std::vector<std::uint32_t> places;
    each_pair([&](std::uint32_t word, Pair pair) {
      const std::uint32_t number = number_of(pair);
      if (number == places.size()) places.push_back(0);
      pairs_[number].count += static_cast<std::int64_t>(counts_[word]);
      ++places[number];
    });
    for (std::size_t number = 0; number < pairs_.size(); ++number) pairs_[number].words.reserve(places[number]);
    each_pair([&](std::uint32_t word, Pair pair) { remember(pairs_[numbers_.find(pair)], word); });
  }

  static void remember(PairState& state, std::uint32_t word) {
    if (state.words.empty() || state.words.back() != word) state.words.push_back(word);
  }

  std::uint32_t number_of(Pair pair) {
    std::uint32_t number = numbers_.find(pair);
    if (number != PairNumbers::absent) return number;
    if (free_numbers_.empty()) {
      number = static_cast<std::uint32_t>(pairs_.size());
      pairs_.emplace_back();
    } else {
      number = free_numbers_.back();
      free_numbers_.pop_back();
    }
    pairs_[number].pair = pair;
    numbers_.add(pair, number);
    arisen_.push_back(number);
    return number;
  }

  // A pair that has died out never comes back: new pairs hold the newest token.
  void forget(std::uint32_t number) {
    numbers_.remove(pairs_[number].pair);
    pairs_[number] = {};
    free_numbers_.push_back(number);
  }

  void lower(Pair pair, std::int64_t count) {
    const std::uint32_t number = numbers_.find(pair);
    if (number == PairNumbers::absent || pairs_[number].count < count) throw InternalError("the count of a pair fell below zero");
    pairs_[number].count -= count;
    if (pairs_[number].count == 0) forget(number);
  }

  void raise(Pair pair, std::int64_t count, std::uint32_t word) {
    PairState& state = pairs_[number_of(pair)];
    state.count += count;
    remember(state, word);
  }

  // One walk from left to right. A border between two kept tokens of which one is new was a pair and becomes another.
  void merge_in_word(std::uint32_t word, TokenId left, TokenId right, TokenId merged) {
    Symbol* const begin = symbols_.data() + begins_[word];
    const Symbol* const end = symbols_.data() + begins_[word + 1];
    const auto count = static_cast<std::int64_t>(counts_[word]);
    Symbol* kept = begin;
    TokenId last_old = gone;   // the last old token of what was kept last
    bool last_is_new = false;
    const Symbol* at = begin;
    while (at != end && *at != gone) {
      const bool is_new = *at == left && at + 1 != end && at[1] == right;
      const TokenId first_old = *at;
      if (kept != begin && (last_is_new || is_new)) {
        const Pair before = pair_of(last_old, first_old);
        if (before != pair_of(left, right)) lower(before, count);   // the merged pair's own count ends at zero anyway
        raise(pair_of(kept[-1], is_new ? merged : first_old), count, word);
      }
      last_old = is_new ? right : first_old;
      last_is_new = is_new;
      *kept++ = static_cast<Symbol>(is_new ? merged : first_old);
      at += is_new ? 2 : 1;
    }
    if (kept != at) *kept = gone;
  }

  std::vector<Symbol> symbols_;
  const std::vector<std::uint32_t>& begins_;   // word w is symbols_[begins_[w], begins_[w + 1]) up to the first `gone`
  const std::vector<std::uint64_t>& counts_;
  PairNumbers numbers_;
  std::vector<PairState> pairs_;
  std::vector<std::uint32_t> free_numbers_;
  std::vector<std::uint32_t> arisen_;
};

// The candidates with the best on top. Counts only fall once a pair is known, so an entry tells at least its pair's count, and entries that have
// become wrong are put right when they come up.
template <class Symbol>
class CandidateQueue {
 public:
  using Candidate = typename Corpus<Symbol>::Candidate;
  CandidateQueue(const Corpus<Symbol>& corpus, std::int64_t min_count) : corpus_(corpus), min_count_(min_count) {}

  void add_arisen() {
    for (const Candidate& candidate : corpus_.arisen(min_count_)) push(candidate);
    if (heap_.size() > 2 * corpus_.live_pairs() + 1024) drop_dead();
  }

  std::optional<Candidate> take_best() {
    while (!heap_.empty()) {
      std::pop_heap(heap_.begin(), heap_.end());
      Candidate best = heap_.back();
      heap_.pop_back();
      const std::int64_t count = corpus_.count_now(best);
      if (count == best.count) return best;
      best.count = count;
      if (count >= min_count_) push(best);
    }
    return std::nullopt;
  }

 private:
  void push(const Candidate& candidate) {
    heap_.push_back(candidate);
    std::push_heap(heap_.begin(), heap_.end());
  }
  void drop_dead() {
    for (Candidate& candidate : heap_) candidate.count = corpus_.count_now(candidate);
    std::erase_if(heap_, [&](const Candidate& candidate) { return candidate.count < min_count_; });
    std::make_heap(heap_.begin(), heap_.end());
  }

  const Corpus<Symbol>& corpus_;
  std::int64_t min_count_;
  std::vector<Candidate> heap_;
};

}   // namespace

struct BpeTrainer::Added {
  std::vector<char> bytes;
  std::vector<std::uint32_t> begins{0};
  std::vector<std::uint64_t> counts;
  std::int64_t pair_total = 0;
};

BpeTrainer::BpeTrainer(std::size_t size, std::vector<std::string> special_tokens)
    : size_(size), special_tokens_(std::move(special_tokens)), added_(std::make_unique<Added>()) {
  const std::size_t least = special_tokens_.size() + 256;
  if (special_tokens_.empty()) throw InternalError("a vocabulary has at least one special token");
  if (size_ < least)
    throw UsageError("size=" + std::to_string(size_) + " (256 bytes and " + std::to_string(special_tokens_.size()) +
                     " special tokens are always there) take at least " + std::to_string(least));
}

BpeTrainer::~BpeTrainer() = default;

void BpeTrainer::add(std::string_view pretoken, std::uint64_t count) {
  if (pretoken.size() < 2 || count == 0) return;   // no pair
  __extension__ using Wide = unsigned __int128;
  const Wide total = Wide{static_cast<std::uint64_t>(added_->pair_total)} + Wide{count} * (pretoken.size() - 1);
  if (total > static_cast<std::uint64_t>(largest_count))
    throw ContractError("the pairs of all pre-tokens together pass 2^63 - 1 (at '" + std::string(pretoken) + "', count " + std::to_string(count) +
                        ") count less text");
  if (added_->bytes.size() + pretoken.size() > 0xFFFFFFFF)
    throw BudgetError("the distinct pre-tokens together pass 4 GiB (one training indexes them with 32 bits) set sample_bytes to count less text");
  added_->pair_total = static_cast<std::int64_t>(total);
  added_->bytes.insert(added_->bytes.end(), pretoken.begin(), pretoken.end());
  added_->begins.push_back(static_cast<std::uint32_t>(added_->bytes.size()));
  added_->counts.push_back(count);
}

std::int64_t BpeTrainer::memory_bytes() const {
  const auto symbols = static_cast<std::int64_t>(added_->bytes.size());
  const auto words = static_cast<std::int64_t>(added_->counts.size());
  const std::int64_t symbol_bytes = size_ <= 0x10000 ? 2 : 4;
  constexpr std::int64_t index_bytes = 4, word_bytes = 12, spare_bytes = std::int64_t{8} << 20;
  return symbols * (1 + symbol_bytes + index_bytes) + words * word_bytes + spare_bytes;
}

namespace {

template <class Symbol>
BpeTraining learn(std::vector<Symbol> symbols, const std::vector<std::uint32_t>& begins, const std::vector<std::uint64_t>& counts,
                  BpeVocabulary vocabulary, std::size_t size, std::int64_t min_count, const std::function<void(std::int64_t)>& progress) {
  Corpus<Symbol> corpus(std::move(symbols), begins, counts);
  BpeTraining training{std::move(vocabulary), {}};
  CandidateQueue<Symbol> queue(corpus, min_count);
  queue.add_arisen();
  while (training.vocabulary.size() < size) {
    const auto best = queue.take_best();
    if (!best) break;
    const auto merged = static_cast<TokenId>(training.vocabulary.size());
    training.vocabulary.merges.push_back({left_of(best->pair), right_of(best->pair)});
    training.counts.push_back(static_cast<std::uint64_t>(best->count));
    corpus.merge(*best, merged);
    queue.add_arisen();
    if (progress && training.counts.size() % 256 == 0) progress(static_cast<std::int64_t>(training.counts.size()));
  }
  return training;
}

template <class Symbol>
std::vector<Symbol> symbols_of(std::vector<char> bytes, TokenId first_byte) {
  std::array<Symbol, 256> id_of_byte{};
  for (int place = 0; place < 256; ++place) id_of_byte[bytes_in_order()[place]] = static_cast<Symbol>(first_byte + place);
  std::vector<Symbol> symbols(bytes.size());
  std::transform(bytes.begin(), bytes.end(), symbols.begin(), [&](char byte) { return id_of_byte[static_cast<unsigned char>(byte)]; });
  return symbols;
}

}   // namespace

BpeTraining BpeTrainer::train(std::uint64_t min_count, const std::function<void(std::int64_t)>& progress) {
  Added added = std::move(*added_);
  *added_ = Added{};
  BpeVocabulary vocabulary{special_tokens_, {}};
  const TokenId first_byte = vocabulary.first_byte();
  const auto least = static_cast<std::int64_t>(std::clamp<std::uint64_t>(min_count, 1, largest_count));
  if (size_ <= 0x10000)
    return learn(symbols_of<std::uint16_t>(std::move(added.bytes), first_byte), added.begins, added.counts, std::move(vocabulary), size_, least,
                 progress);
  return learn(symbols_of<std::uint32_t>(std::move(added.bytes), first_byte), added.begins, added.counts, std::move(vocabulary), size_, least,
               progress);
}

}   // namespace lastro
