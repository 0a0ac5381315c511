#include "core/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "domain/errors.h"

namespace lastro {
namespace {

using testing::StartsWith;

std::string refusal(std::string_view text) {
  try {
    parse_json(text, "f.json");
  } catch (const ContractError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Json, ReadsBackWhatItWrites) {
  Node tree = Node::mapping();
  tree.set("b", Node(Node::Sequence{Node(nullptr), Node(true), Node(-7), Node(0.1), Node(3.0), Node("a \"quoted\"\\\n\x01 é")}));
  tree.set("a", Node::mapping());
  tree.set("", Node::sequence());

  EXPECT_EQ(parse_json(to_json(tree), "t"), tree);
  EXPECT_EQ(parse_json(to_json_pretty(tree), "t"), tree);
}

TEST(Json, WritesOneTreeAsOneCanonicalText) {
  Node one = Node::mapping();
  one.set("b", 1);
  Node other = Node::mapping();
  other.set("a", 2.0);
  other.set("b", 1);
  one.set("a", 2.0);

  EXPECT_EQ(to_json(one), R"({"b":1,"a":2.0})");
  EXPECT_EQ(to_canonical_json(one), R"({"a":2.0,"b":1})");
  EXPECT_EQ(to_canonical_json(one), to_canonical_json(other));
}

TEST(Json, KeepsIntegersAndRealNumbersApart) {
  EXPECT_TRUE(parse_json("3", "t").as<std::int64_t>());
  EXPECT_TRUE(parse_json("3.0", "t").as<double>());
  EXPECT_EQ(to_json(Node(1e300)), "1e+300");
  EXPECT_EQ(to_json(Node(-0.0)), "-0.0");
  EXPECT_EQ(parse_json("-9223372036854775808", "t").integer(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(parse_json("9223372036854775808", "t").number(), 0x1p63);
}

TEST(Json, NamesThePlaceOfWhatItRefuses) {
  EXPECT_THAT(refusal("{\"a\": 1,\n \"b\": 2, \"a\": 3}"), StartsWith("f.json:2:10: key \"a\" stands here a second time"));
  EXPECT_THAT(refusal("{\"q\\\"\": 1,\n  \"q\\\"\": 2}"), StartsWith("f.json:2:3: key"));
  EXPECT_THAT(refusal("{\"a\": 1,\n\"b\": }"), StartsWith("f.json:2:6: this is not JSON ("));
  EXPECT_THAT(refusal(""), StartsWith("f.json:1:1: this is not JSON ("));
  EXPECT_THAT(refusal("1 2"), StartsWith("f.json:1:3: this is not JSON ("));
  EXPECT_THAT(refusal("\"\xff\""), StartsWith("f.json:1:2: this is not JSON ("));
  EXPECT_THAT(refusal("1e999"), StartsWith("f.json:1:"));
  EXPECT_THAT(refusal(std::string(100000, '[')), StartsWith("f.json:1:257: nested deeper than 256 levels"));
}

TEST(Json, SaysInPlainWordsWhyATextIsNone) {
  for (const auto& [text, reason] : {std::pair{"", "it ends too early"},
                                     {"{\"a\": 1", "it ends too early"},
                                     {"\"a", "a text has no closing quote"},
                                     {"\"\\ud800x\"", "a \\u escape is half of a surrogate pair"},
                                     {"\"\\u12\"", "\\u needs four hexadecimal digits"},
                                     {"\"\\q\"", "a backslash stands before what it cannot escape"},
                                     {"\"\n\"", "a text holds a control character, such as a line's end or a tab: write it as an escape"},
                                     {"\"surrogate\xff\"", "a byte is not UTF-8"},
                                     {"\xef\xbb", "the byte order mark is broken"},
                                     {"[-]", "a number is not complete"},
                                     {"1e999", "a number is too large"},
                                     {"NaN", "neither a text in double quotes nor a number, true, false or null"},
                                     {"1 2", "something stands behind its end"},
                                     {"[\"a\" \"b\"]", "a text stands where it cannot"},
                                     {"{1: 2}", "a number stands where it cannot"},
                                     {"[true null]", "null stands where it cannot"},
                                     {"[null true]", "true stands where it cannot"},
                                     {"[null false]", "false stands where it cannot"},
                                     {"[[] []]", "[ stands where it cannot"},
                                     {"[{} {}]", "{ stands where it cannot"},
                                     {"[1,]", "] stands where it cannot"},
                                     {"{\"a\": }", "} stands where it cannot"},
                                     {"[1: 2]", "a colon stands where it cannot"},
                                     {"[,]", "a comma stands where it cannot"}})
    EXPECT_THAT(refusal(text), testing::EndsWith("this is not JSON (" + std::string(reason) + ")")) << text;
}

TEST(Json, WritesWhatHasNoTextAsAStandInButRefusesToHashIt) {
  const Node not_finite(std::nan(""));
  const Node not_utf8("a\xff");

  EXPECT_EQ(to_json(not_finite), "null");
  EXPECT_EQ(to_json(not_utf8), "\"a\xEF\xBF\xBD\"");
  EXPECT_THROW(to_canonical_json(not_finite), ContractError);
  EXPECT_THROW(to_canonical_json(not_utf8), ContractError);
}

TEST(Json, IndentsByTwo) {
  Node tree = Node::mapping();
  tree.set("a", Node(Node::Sequence{Node(1), Node(2)}));
  tree.set("b", Node::mapping());

  EXPECT_EQ(to_json_pretty(tree), "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": {}\n}");
}

}   // namespace
}   // namespace lastro
