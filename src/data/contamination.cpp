#include "data/contamination.h"

#include <algorithm>

#include "data/ngram_index.h"
#include "data/token_shards.h"
#include "data/words.h"
#include "domain/errors.h"
#include "text/tokenizer.h"

namespace lastro {
namespace {

constexpr std::size_t named_items = 5;

// An evaluation item: which set, and which of the set.
struct Item {
  int set;
  std::int64_t number;
};

// The evaluation items [first, ...) that fit into memory, found by their runs of words.
class ItemSlice {
 public:
  ItemSlice(const std::filesystem::path& folder, const DatasetLayout& layout, const BpeTokenizer& tokenizer, std::int64_t first,
            std::int64_t memory_bytes)
      : index_(memory_bytes) {
    std::int64_t number = 0;
    std::vector<std::uint64_t> words;
    for_each_document(folder, layout, Split::evaluation, [&](const TokenDocument& document) {
      if (number++ < first || is_full_) return;
      hash_words(tokenizer.decode(document.tokens), words);
      if (!index_.add(static_cast<std::int64_t>(items_.size()), words)) {
        is_full_ = true;
        return;
      }
      items_.push_back({document.source, document.number});
    });
    index_.seal();
  }

  const NgramIndex& index() const { return index_; }
  const std::vector<Item>& items() const { return items_; }
  bool is_last() const { return !is_full_; }

 private:
  NgramIndex index_;
  std::vector<Item> items_;
  bool is_full_ = false;
};

// 1 for each item of the slice that stands in a training document of any rank.
std::vector<std::int64_t> items_found(const std::filesystem::path& folder, const DatasetLayout& layout, const BpeTokenizer& tokenizer,
                                      const ItemSlice& slice, Collective& ranks, const std::function<bool()>& is_asked_to_stop) {
  std::vector<std::int64_t> found(slice.items().size(), 0);
  std::vector<std::uint64_t> words;
  for_each_document(
      folder, layout, Split::train,
      [&](const TokenDocument& document) {
        if (is_asked_to_stop && is_asked_to_stop()) return;
        hash_words(tokenizer.decode(document.tokens), words);
        slice.index().search(words, [&](std::int64_t item) { found[static_cast<std::size_t>(item)] = 1; });
      },
      ranks.rank().value, ranks.size());
  ranks.all_max(found);
  return found;
}

}   // namespace

std::int64_t Contamination::items() const {
  std::int64_t sum = 0;
  for (const Set& set : sets) sum += set.items;
  return sum;
}

std::int64_t Contamination::contaminated() const {
  std::int64_t sum = 0;
  for (const Set& set : sets) sum += set.contaminated;
  return sum;
}

double Contamination::share() const { return items() == 0 ? 0.0 : static_cast<double>(contaminated()) / static_cast<double>(items()); }

Contamination measure_contamination(const std::filesystem::path& dataset_folder, Collective& ranks, std::int64_t memory_limit_bytes,
                                    const std::function<bool()>& is_asked_to_stop) {
  const DatasetLayout layout = read_dataset_layout(dataset_folder);
  const BpeTokenizer tokenizer = BpeTokenizer::load(dataset_folder / "tokenizer");
  Contamination result;
  for (const ShardedSource& source : layout.evaluation) result.sets.push_back({source.source, source.documents(), 0, {}});
  if (result.items() == 0) return result;
  std::int64_t next = 0;
  for (bool is_last = false; !is_last;) {
    const ItemSlice slice(dataset_folder, layout, tokenizer, next, memory_limit_bytes / 2);
    const auto found = items_found(dataset_folder, layout, tokenizer, slice, ranks, is_asked_to_stop);
    std::int64_t stops[1] = {is_asked_to_stop && is_asked_to_stop()};
    ranks.all_max(stops);   // the next slice is searched by all together
    if (stops[0] != 0) return result;
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (found[i] == 0) continue;
      Contamination::Set& set = result.sets[static_cast<std::size_t>(slice.items()[i].set)];
      ++set.contaminated;
      if (set.first_items.size() < named_items) set.first_items.push_back(slice.items()[i].number);
    }
    next += static_cast<std::int64_t>(found.size());
    is_last = slice.is_last();
  }
  return result;
}

}   // namespace lastro
