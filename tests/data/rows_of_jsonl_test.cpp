#include "data/rows_of_jsonl.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace lastro {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

std::vector<std::pair<std::int64_t, std::string>> rows_of(std::string_view content, std::size_t piece) {
  std::vector<std::pair<std::int64_t, std::string>> rows;
  RowSplitter splitter([&](const RowSplitter::Row& row) { rows.emplace_back(row.number, row.is_too_long ? "too long" : std::string(row.json)); });
  for (std::size_t begin = 0; begin < content.size(); begin += piece) splitter.add(content.substr(begin, piece));
  splitter.finish();
  return rows;
}

TEST(RowsOfJsonl, AreNumberedAsAnEditorNumbersLines) {
  for (const std::size_t piece : {1, 3, 100})
    EXPECT_THAT(rows_of("{}\n\n  \r\n[1]\n2", piece), ElementsAre(Pair(1, "{}"), Pair(4, "[1]"), Pair(5, "2")));
}

TEST(RowsOfJsonl, GoOnBehindARowThatIsTooLong) {
  const std::string content = "{}\n" + std::string(longest_row_bytes + 1, 'x') + "\n{}\n";

  EXPECT_THAT(rows_of(content, 1 << 20), ElementsAre(Pair(1, "{}"), Pair(2, "too long"), Pair(3, "{}")));
}

TEST(RowsOfJsonl, GiveTheTextOfTheirField) {
  EXPECT_EQ(text_of_row(R"({"id": 1, "meta": {"text": "inner"}, "tags": ["text"], "text": "a\nb \u00e9"})", "text").text, "a\nb \xC3\xA9");
  EXPECT_EQ(text_of_row(R"({"question": "why?"})", "question").text, "why?");
}

TEST(RowsOfJsonl, SayWhyTheyHoldNoText) {
  EXPECT_EQ(text_of_row(R"({"texts": "a"})", "text").problem, "no field \"text\" (the row has \"texts\")");
  EXPECT_EQ(text_of_row(R"({"id": 1, "meta": {"text": "inner"}})", "text").problem, "no field \"text\" (the row has \"id\", \"meta\")");
  EXPECT_EQ(text_of_row("{}", "text").problem, "no field \"text\" (the row is empty)");
  EXPECT_EQ(text_of_row("{\"a\\n\": 1, \"" + std::string(50, 'b') + "\": 2}", "text").problem, "no field \"text\" (the row has \"a\\n\" and 1 more)");
  EXPECT_EQ(text_of_row(R"({"text": 3})", "text").problem, "field \"text\" is a number, not a string");
  EXPECT_EQ(text_of_row(R"({"text": ["a"]})", "text").problem, "field \"text\" is an array, not a string");
  EXPECT_EQ(text_of_row(R"({"text": null})", "text").problem, "field \"text\" is null, not a string");
  EXPECT_EQ(text_of_row(R"(["text"])", "text").problem, "the row is an array, not an object");
  EXPECT_EQ(text_of_row(R"("text")", "text").problem, "the row is a string, not an object");
  EXPECT_EQ(text_of_row(R"({"text": "a)", "text").problem, "not JSON at byte 12 (a text has no closing quote)");
  EXPECT_EQ(text_of_row("{\"text\": \"\xFF\"}", "text").problem, "not JSON at byte 11 (a byte is not UTF-8)");
  EXPECT_EQ(text_of_row("{} {}", "text").problem, "not JSON at byte 4 (something stands behind its end)");
}

TEST(RowsOfJsonl, MayNestDeeply) {
  const std::string deep = "{\"a\": " + std::string(100000, '[') + std::string(100000, ']') + ", \"text\": \"found\"}";

  EXPECT_EQ(text_of_row(deep, "text").text, "found");
}

}   // namespace
}   // namespace lastro
