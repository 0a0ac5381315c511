#include "data/ngram_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "data/words.h"

namespace lastro {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::uint64_t> hashes(std::string_view text) {
  std::vector<std::uint64_t> words;
  hash_words(text, words);
  return words;
}

std::set<std::int64_t> found(const NgramIndex& index, std::string_view text) {
  std::set<std::int64_t> items;
  index.search(hashes(text), [&](std::int64_t item) { items.insert(item); });
  return items;
}

NgramIndex index_of(std::initializer_list<std::string_view> items) {
  NgramIndex index(1 << 20);
  std::int64_t number = 0;
  for (const std::string_view item : items) index.add(number++, hashes(item));
  index.seal();
  return index;
}

constexpr std::string_view question = "in which year did the first ship sail around the whole of the world and return home again";

TEST(NgramIndex, FindsALongItemByAnyThirteenWordsOfIt) {
  const NgramIndex index = index_of({question});

  EXPECT_THAT(found(index, "They asked: In which YEAR did the first\nship sail, around the whole of the sea"), ElementsAre(0));
  EXPECT_THAT(found(index, "ship sail around the whole of the world and return home again"), IsEmpty());   // twelve
  EXPECT_THAT(found(index, "first ship sail around the whole of the world and return home again"), ElementsAre(0));
}

TEST(NgramIndex, FindsAShorterItemOnlyAsAWhole) {
  const NgramIndex index = index_of({"what is the capital of France?"});

  EXPECT_THAT(found(index, "Tell me what is the capital of france and why"), ElementsAre(0));
  EXPECT_THAT(found(index, "what is the capital of Spain"), IsEmpty());
}

TEST(NgramIndex, FindsAnItemOfThreeWordsOnlyAsTheWholeText) {
  const NgramIndex index = index_of({"yes", "of the sea"});

  EXPECT_THAT(found(index, "Yes!"), ElementsAre(0));
  EXPECT_THAT(found(index, "Of the sea."), ElementsAre(1));
  EXPECT_THAT(found(index, "yes it is made of the sea"), IsEmpty());
}

TEST(NgramIndex, TellsItemsApart) {
  const NgramIndex index = index_of({"one two three four five", "two three four five six", "one two three four five"});

  EXPECT_THAT(found(index, "zero one two three four five"), ElementsAre(0, 2));
  EXPECT_THAT(found(index, "one two three four five six"), ElementsAre(0, 1, 2));
}

TEST(NgramIndex, TakesItemsUntilItsMemoryIsFull) {
  NgramIndex index(4096);
  std::int64_t taken = 0;
  while (index.add(taken, hashes("item number " + std::to_string(taken) + " is here"))) ++taken;

  index.seal();

  EXPECT_GT(taken, 50);
  EXPECT_LT(taken, 400);
  EXPECT_THAT(found(index, "item number 7 is here"), ElementsAre(7));
}

TEST(NgramIndex, FindsNothingWhenItHoldsNothing) { EXPECT_THAT(found(index_of({"", "..."}), "any text at all"), IsEmpty()); }

}   // namespace
}   // namespace lastro
