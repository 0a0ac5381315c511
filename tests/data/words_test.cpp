#include "data/words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/hash64.h"

namespace lastro {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Words, IgnoreCasePunctuationAndLineBreaks) {
  EXPECT_THAT(normalised_words("Don't \"panic\":\n  the ANSWER, of course,\tis 42!"),
              ElementsAre("dont", "panic", "the", "answer", "of", "course", "is", "42"));
  EXPECT_THAT(normalised_words("-- ... !?"), IsEmpty());
}

TEST(Words, LowerLatinGreekAndCyrillicLetters) {
  EXPECT_THAT(normalised_words("\xC3\x89T\xC3\x89 \xC5\xBD\xC5\xA0 \xCE\xA9\xCE\xA3 \xD0\x96\xD0\x81"),
              ElementsAre("\xC3\xA9t\xC3\xA9", "\xC5\xBE\xC5\xA1", "\xCF\x89\xCF\x83", "\xD0\xB6\xD1\x91"));
}

TEST(Words, TakeTypographicPunctuationAndSpacesLikePlainOnes) {
  EXPECT_EQ(normalised_words("\xE2\x80\x9Cwell\xE2\x80\x9D\xC2\xA0\xE2\x80\x93 don\xE2\x80\x99t"), normalised_words("\"well\" - don't"));
}

TEST(Words, AreSingleCharactersInScriptsWithoutSpaces) {
  EXPECT_THAT(normalised_words("\xE6\x97\xA5\xE6\x9C\xAC\xE3\x80\x82go"), ElementsAre("\xE6\x97\xA5", "\xE6\x9C\xAC", "go"));
}

TEST(Words, HashAsTheyRead) {
  std::vector<std::uint64_t> hashes{1, 2, 3};

  hash_words("One, two", hashes);

  EXPECT_THAT(hashes, ElementsAre(hash64("one"), hash64("two")));
}

}   // namespace
}   // namespace lastro
