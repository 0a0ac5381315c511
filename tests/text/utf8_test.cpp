#include "text/utf8.h"

#include <gtest/gtest.h>

#include "sample_text.h"

namespace lastro {
namespace {

using namespace std::string_view_literals;

TEST(Utf8, TakesOnlyWellFormedCharacters) {
  EXPECT_TRUE(utf8_at("\xC3\xA9"sv, 0).valid);
  EXPECT_EQ(utf8_at("\xC3\xA9"sv, 0).point, U'\u00E9');
  EXPECT_EQ(utf8_at("\xF0\x9F\x98\x80"sv, 0).point, U'\U0001F600');
  for (const auto broken : {"\x80"sv, "\xC0\xAF"sv, "\xC1\xBF"sv, "\xE0\x9F\xBF"sv, "\xED\xA0\x80"sv, "\xF0\x8F\xBF\xBF"sv, "\xF4\x90\x80\x80"sv,
                            "\xF5\x80\x80\x80"sv, "\xE4\xB8"sv, "\xC3"sv,
                            "\xC3"
                            "A"sv}) {
    EXPECT_FALSE(utf8_at(broken, 0).valid) << testing::PrintToString(broken);
    EXPECT_EQ(utf8_at(broken, 0).bytes, 1);
  }
}

TEST(Utf8, ReplacesEachMaximalPartOnce) {
  // The table of Unicode 16, section 3.9: "U+FFFD for maximal subparts".
  EXPECT_EQ(utf8_lossy("\x61\xF1\x80\x80\xE1\x80\xC2\x62\x80\x63\x80\xBF\x64"sv), "a\uFFFD\uFFFD\uFFFDb\uFFFDc\uFFFD\uFFFDd");
  EXPECT_EQ(utf8_lossy("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41"sv), "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\x41");
  EXPECT_EQ(utf8_lossy("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41"sv), "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\x41");
  EXPECT_EQ(utf8_lossy("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"sv), "\uFFFD\uFFFD\uFFFD\uFFFD\x41");
}

TEST(Utf8, FindsTheBytesThatMoreBytesCouldComplete) {
  EXPECT_EQ(incomplete_tail("abc"), 0u);
  EXPECT_EQ(incomplete_tail("a\xE4\xB8"sv), 2u);
  EXPECT_EQ(incomplete_tail("a\xF0\x9F\x98"sv), 3u);
  EXPECT_EQ(incomplete_tail("\xC3"sv), 1u);
  EXPECT_EQ(incomplete_tail("\xE4\xB8\xAD"sv), 0u);
  EXPECT_EQ(incomplete_tail("\xED\xA0"sv), 0u);   // no character begins so
  EXPECT_EQ(incomplete_tail("\x80\x80"sv), 0u);
}

}   // namespace
}   // namespace lastro
