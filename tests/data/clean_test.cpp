#include "data/clean.h"

#include <gtest/gtest.h>

#include <random>

#include "support/is_utf8.h"

namespace lastro {
namespace {

std::string cleaned(std::string_view raw) {
  std::string clean = "left over";
  CleanCounts counts;
  clean_text(raw, clean, counts);
  return clean;
}

TEST(Clean, LeavesPlainTextAsItIs) {
  const std::string text = "Title\n\n  indented code();\n\tand a tab\n\n\nCaf\xC3\xA9 \xE2\x80\x94 \xF0\x9F\x98\x80 end.";
  EXPECT_EQ(cleaned(text), text);
}

TEST(Clean, MakesEveryLineBreakANewline) {
  EXPECT_EQ(cleaned("a\r\nb\rc\fd\ve\xE2\x80\xA8"
                    "f\xC2\x85g"),
            "a\nb\nc\nd\ne\nf\ng");
  EXPECT_EQ(cleaned("a\r\r\nb"), "a\n\nb");
}

TEST(Clean, RemovesControlBytesAndByteOrderMarks) {
  EXPECT_EQ(cleaned(std::string_view("\xEF\xBB\xBFone\0two\x07\x1B\x7Fthree\xEF\xBB\xBF.", 22)), "onetwothree.");
}

TEST(Clean, CountsWhatItRemovesAndReads) {
  std::string clean;
  CleanCounts counts;

  clean_text(std::string_view("a\0b\0\xFF\xFE", 6), clean, counts);

  EXPECT_EQ(counts.control_bytes, 2);
  EXPECT_EQ(counts.invalid_bytes, 2);
}

TEST(Clean, ReadsBytesThatAreNotUtf8AsWindows1252) {
  EXPECT_EQ(cleaned("caf\xE9"), "caf\xC3\xA9");
  EXPECT_EQ(cleaned("\x93quoted\x94 \x80 5"), "\xE2\x80\x9Cquoted\xE2\x80\x9D \xE2\x82\xAC 5");
  EXPECT_EQ(cleaned("\x81"), "\xEF\xBF\xBD");
  EXPECT_EQ(cleaned("\xC3"), "\xC3\x83");                                 // the start of a character that never comes
  EXPECT_EQ(cleaned("\xED\xA0\x80!"), "\xC3\xAD\xC2\xA0\xE2\x82\xAC!");   // a surrogate is no character
}

TEST(Clean, TidiesBlanks) {
  EXPECT_EQ(cleaned("\n\n  first line  \t\nsecond\n \n\t\n\n\n\nthird  \n\n"), "  first line\nsecond\n\n\nthird");
  EXPECT_EQ(cleaned(" \n\t\n "), "");
}

TEST(Clean, ChangesNothingTheSecondTimeAndAlwaysGivesUtf8) {
  std::mt19937 random(7);
  const std::string_view alphabet("ab \t\n\r\f\0\x1B\xC3\xA9\xE2\x80\xA8\xFF\x93\xEF\xBB\xBF", 20);
  for (int round = 0; round < 20000; ++round) {
    std::string raw;
    for (unsigned i = 0; i < round % 40u; ++i) raw += alphabet[random() % alphabet.size()];

    const std::string once = cleaned(raw);

    ASSERT_EQ(cleaned(once), once);
    ASSERT_TRUE(test::is_utf8(once));
  }
}

}   // namespace
}   // namespace lastro
