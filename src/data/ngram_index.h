#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace lastro {

// Which evaluation items stand in a text. An item is found
//   - with 13 words or more: when any run of 13 of its words stands in the text;
//   - with 4 to 12 words: when the whole of it stands in the text;
//   - with fewer: when it is the whole text. ("yes" stands in every text and says nothing.)
inline constexpr int ngram_words = 13;
inline constexpr int fewest_words_inside = 4;

class NgramIndex {
 public:
  explicit NgramIndex(std::int64_t memory_limit_bytes);

  // False, and nothing is added, when the item no longer fits; an index that is still empty takes at least one item.
  bool add(std::int64_t item, std::span<const std::uint64_t> word_hashes);
  void seal();   // ends adding; to be called before any search
  bool is_empty() const { return entries_.empty(); }

  // Visits every item found in a text, some more than once. Threads may search at the same time.
  void search(std::span<const std::uint64_t> word_hashes, const std::function<void(std::int64_t item)>& visit) const;

 private:
  struct Entry {
    std::uint64_t hash;
    std::int64_t item;
    auto operator<=>(const Entry&) const = default;
  };
  void look_up(std::uint64_t hash, const std::function<void(std::int64_t item)>& visit) const;

  std::size_t capacity_;
  std::vector<Entry> entries_;
  std::vector<std::uint64_t> filter_;   // a bit for each hash's upper bits: nearly every search ends here
  int filter_bits_ = 6;
  unsigned lengths_ = 0;         // bit n: there are runs of n words
  unsigned whole_lengths_ = 0;   // bit n: there are items of n words that must be the whole text
};

}   // namespace lastro
