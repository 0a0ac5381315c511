#include "text/pretokenizer.h"

#include <gmock/gmock.h>

#include <numeric>

#include "sample_text.h"

namespace lastro {
namespace {

using namespace std::string_literals;
using testing::ElementsAre;

std::vector<std::string> pretokens(std::string_view text) {
  std::vector<std::string> all;
  for_each_pretoken(text, [&](std::string_view pretoken) { all.emplace_back(pretoken); });
  return all;
}

TEST(Pretokenizer, CutsWordsWithTheSpaceBeforeThem) {
  EXPECT_THAT(pretokens("Hello world, said\the"), ElementsAre("Hello", " world", ",", " said", "\the"));
  EXPECT_THAT(pretokens("(x) a_b"), ElementsAre("(x", ")", " a", "_b"));
  EXPECT_THAT(pretokens("\u00E9t\u00E9 \u4E2D\u6587"), ElementsAre("\u00E9t\u00E9", " \u4E2D\u6587"));
}

TEST(Pretokenizer, CutsContractionsOfAsciiAlone) {
  EXPECT_THAT(pretokens("don't I'LL we'Ve 'round"), ElementsAre("don", "'t", " I", "'LL", " we", "'Ve", " '", "round"));
  EXPECT_THAT(pretokens("it'side"), ElementsAre("it", "'s", "ide"));
  EXPECT_THAT(pretokens("x'\u017F"), ElementsAre("x", "'\u017F"));   // the long s is a letter like any other
  EXPECT_THAT(pretokens("'l"), ElementsAre("'l"));
  EXPECT_THAT(pretokens("'"), ElementsAre("'"));
}

TEST(Pretokenizer, CutsDigitsByThree) {
  EXPECT_THAT(pretokens("12345678 9"), ElementsAre("123", "456", "78", " ", "9"));
  EXPECT_THAT(pretokens("a1\u0663\u00BD2"), ElementsAre("a", "1\u0663\u00BD", "2"));
}

TEST(Pretokenizer, LeavesTheLastSpaceToTheWordBehindIt) {
  EXPECT_THAT(pretokens("a   b"), ElementsAre("a", "  ", " b"));
  EXPECT_THAT(pretokens("a   !"), ElementsAre("a", "  ", " !"));
  EXPECT_THAT(pretokens("a   1"), ElementsAre("a", "  ", " ", "1"));
  EXPECT_THAT(pretokens("a \u3000b"), ElementsAre("a", " ", "\u3000b"));
  EXPECT_THAT(pretokens("a \u3000!"), ElementsAre("a", " ", "\u3000", "!"));
  EXPECT_THAT(pretokens("a   "), ElementsAre("a", "   "));
}

TEST(Pretokenizer, EndsWhiteSpaceAtItsLastLineEnd) {
  EXPECT_THAT(pretokens("a \n \r\n  b"), ElementsAre("a", " \n \r\n", " ", " b"));
  EXPECT_THAT(pretokens("a!\n\n b"), ElementsAre("a", "!\n\n", " b"));
  EXPECT_THAT(pretokens("\n\nb"), ElementsAre("\n\n", "b"));
  EXPECT_THAT(pretokens("a\x0B\n"), ElementsAre("a", "\x0B\n"));
}

TEST(Pretokenizer, TakesABrokenByteAsASign) {
  EXPECT_THAT(pretokens("a\xFFz"), ElementsAre("a", "\xFFz"));
  EXPECT_THAT(pretokens("a\xE4\xB8z"), ElementsAre("a", "\xE4\xB8", "z"));
  EXPECT_THAT(pretokens(" \x80\x80\n"), ElementsAre(" \x80\x80\n"));
  EXPECT_THAT(pretokens("a\0b"s), ElementsAre("a", "\0b"s));
}

TEST(Pretokenizer, LosesNothing) {
  Dice dice(1);
  for (int i = 0; i < 2000; ++i) {
    const std::string text = odd_text(dice, dice.below(30));

    const auto pieces = pretokens(text);

    EXPECT_EQ(std::accumulate(pieces.begin(), pieces.end(), std::string()), text);
    for (const auto& piece : pieces) EXPECT_FALSE(piece.empty());
  }
}

TEST(Pretokenizer, CutsSafely) {
  Dice dice(2);
  for (int i = 0; i < 5000; ++i) {
    const std::string text = odd_text(dice, 2 + dice.below(20));
    const std::string known = text.substr(0, dice.below(text.size() + 1));

    const std::size_t cut = last_safe_cut(known);

    ASSERT_LE(cut, known.size());
    auto joined = pretokens(text.substr(0, cut));
    for (const auto& piece : pretokens(text.substr(cut))) joined.push_back(piece);
    ASSERT_EQ(joined, pretokens(text)) << testing::PrintToString(text) << " known " << known.size() << " cut " << cut;
  }
}

TEST(TextSegments, HaveTheDocumentsOwnPretokensHoweverItComes) {
  Dice dice(3);
  for (int i = 0; i < 500; ++i) {
    const std::string text = odd_text(dice, 200);
    TextSegments segments(128);
    std::vector<std::string> joined, borders;
    const auto visit = [&](std::string_view segment) {
      EXPECT_LE(segment.size(), 128u);
      borders.emplace_back(segment);
      for (const auto& piece : pretokens(segment)) joined.push_back(piece);
    };

    for (std::size_t at = 0; at < text.size();) {
      const std::size_t taken = std::min<std::size_t>(text.size() - at, 1 + dice.below(300));
      segments.push(std::string_view(text).substr(at, taken), at + taken == text.size(), visit);
      at += taken;
    }

    ASSERT_EQ(joined, pretokens(text));
    std::vector<std::string> at_once;
    segments.push(text, true, [&](std::string_view segment) { at_once.emplace_back(segment); });
    ASSERT_EQ(borders, at_once);
  }
}

TEST(TextSegments, CutALineThatHasNoBorder) {
  TextSegments segments(1000);
  std::size_t bytes = 0, longest = 0;
  const auto visit = [&](std::string_view segment) {
    bytes += segment.size();
    longest = std::max(longest, segment.size());
    EXPECT_EQ(segment.size() % 3, 0u);   // never inside a character
  };

  std::string line;
  for (int i = 0; i < 5000; ++i) line += "\u4E2D";
  segments.push(line, false, visit);
  segments.push("", true, visit);

  EXPECT_EQ(bytes, line.size());
  EXPECT_EQ(longest, 999u);
}

}   // namespace
}   // namespace lastro
