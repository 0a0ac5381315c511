#include "data/questions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "data/ngram_index.h"
#include "data/stories.h"
#include "data/words.h"

namespace lastro {
namespace {

TEST(Questions, AreTheSameEverywhere) {
  EXPECT_EQ(question(1, 0),
            "Question: What could Lily do for Pia, the owner of a red lamp, after the light of it went out?\n"
            "Answer: What mends it is that somebody filled it with oil and lit it again.");
  EXPECT_EQ(question(1, 1),
            "Question: Ben carries twelve cakes to the castle, and Rosa is handed six on the way. How many cakes reach the castle?\nAnswer: six.");
}

TEST(Questions, DifferByNumberAndSeed) {
  std::set<std::string> questions;
  for (std::int64_t i = 0; i < 500; ++i) questions.insert(question(1, i));

  EXPECT_GE(questions.size(), 498u);
  EXPECT_EQ(questions.count(question(2, 0)), 0u);
}

TEST(Questions, MakeAboutAsMuchTextAsAskedFor) {
  const std::int64_t count = questions_in(100000);
  std::int64_t bytes = 0;
  for (std::int64_t i = 0; i < count; ++i) bytes += static_cast<std::int64_t>(question(1, i).size());

  EXPECT_NEAR(static_cast<double>(bytes), 1e5, 3e3);
}

TEST(Questions, StandInNoStory) {
  NgramIndex index(1 << 24);
  std::vector<std::uint64_t> words;
  for (std::int64_t i = 0; i < 2000; ++i) {
    hash_words(question(1, i), words);
    ASSERT_GE(words.size(), static_cast<std::size_t>(ngram_words));
    ASSERT_TRUE(index.add(i, words));
  }
  index.seal();

  int found = 0;
  for (std::int64_t i = 0; i < 5000; ++i) {
    hash_words(story(1, i), words);
    index.search(words, [&](std::int64_t) { ++found; });
  }
  hash_words("He read: " + question(1, 17), words);
  int copied = 0;
  index.search(words, [&](std::int64_t item) { copied += item == 17; });

  EXPECT_EQ(found, 0);
  EXPECT_GT(copied, 0);
}

}   // namespace
}   // namespace lastro
