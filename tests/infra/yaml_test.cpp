#include "core/yaml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/json.h"
#include "core/random.h"

namespace lastro {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

std::vector<std::string> problems_of(std::string_view text) {
  Problems problems;
  parse_yaml(text, "m.yaml", problems);
  std::vector<std::string> texts;
  for (const Problem& problem : problems) texts.push_back(problem.to_string());
  return texts;
}

Node read(std::string_view text) {
  Problems problems;
  Node node = parse_yaml(text, "m.yaml", problems);
  for (const Problem& problem : problems) ADD_FAILURE() << problem.to_string() << "\nin\n" << text;
  return node;
}

TEST(Yaml, ReadsBlockAndFlowStyle) {
  EXPECT_EQ(to_json(read("a: 1\nb: {c: [x, 'y', \"z\\n\"]}\nd:\n  - e: 1\n    f: 2\n  - g\n")),
            R"({"a":1,"b":{"c":["x","y","z\n"]},"d":[{"e":1,"f":2},"g"]})");
  EXPECT_EQ(to_json(read("a: |\n  one\n  two\nb: >-\n  folded\n  text\n")), R"({"a":"one\ntwo\n","b":"folded text"})");
  EXPECT_EQ(to_json(read("---\na: 1\n")), R"({"a":1})");
  EXPECT_EQ(to_json(read("a: it # comment\nb: 'it''s' # comment\n")), R"({"a":"it","b":"it's"})");
  EXPECT_EQ(to_json(read("\xEF\xBB\xBF"
                         "a: 1\r\nb: 2\r\n")),
            R"({"a":1,"b":2})");
  EXPECT_TRUE(read("").is_null());
  EXPECT_TRUE(read("# nothing\n").is_null());
}

TEST(Yaml, TypesPlainWordsByTheCoreSchema) {
  EXPECT_EQ(to_json(read("[~, null, true, False, 0, -7, +7, 0x1F, 0o17, 1.0, .5, 1., 1e3, -1.5E-3]")),
            "[null,null,true,false,0,-7,7,31,15,1.0,0.5,1.0,1000.0,-0.0015]");
  EXPECT_EQ(to_json(read("[yes, no, on, off, y, 1.0.0, 1_000, 12:30, 2026-01-01, sha256:12, '1', \"true\", 0x, 1e, .]")),
            R"(["yes","no","on","off","y","1.0.0","1_000","12:30","2026-01-01","sha256:12","1","true","0x","1e","."])");
  EXPECT_EQ(read("-.inf").number(), -INFINITY);
  EXPECT_TRUE(std::isnan(read(".nan").number()));
  EXPECT_EQ(read("-9223372036854775808").integer(), std::numeric_limits<std::int64_t>::min());
}

TEST(Yaml, RefusesNumbersThatReadersTakeDifferently) {
  EXPECT_THAT(problems_of("a: 010\n"), ElementsAre(StartsWith("m.yaml:1:4: 010 has a leading zero")));
  EXPECT_THAT(problems_of("a: 9223372036854775808\n"),
              ElementsAre(StartsWith("m.yaml:1:4: 9223372036854775808 is too large (whole numbers end at 9223372036854775807;")));
  EXPECT_THAT(problems_of("a: -9223372036854775809\n"), ElementsAre(HasSubstr("is too small (whole numbers begin at -9223372036854775808;")));
  EXPECT_THAT(problems_of("a: 1e999\n"), ElementsAre(StartsWith("m.yaml:1:4: 1e999 is beyond the range of a number")));
  EXPECT_THAT(problems_of("010: a\n"), IsEmpty());   // a key is a text
}

TEST(Yaml, MarksKeysAndValuesWhereTheyStand) {
  const Node tree = read("a: 1\nb:\n  c: [x, y]\n  'é': ü\n");

  const auto& entries = tree.entries();
  EXPECT_EQ(entries[0].mark, (Mark{1, 1}));
  EXPECT_EQ(entries[0].value.mark, (Mark{1, 4}));
  EXPECT_EQ(entries[1].mark, (Mark{2, 1}));
  const Node& b = entries[1].value;
  EXPECT_EQ(b.mark, (Mark{3, 3}));
  EXPECT_EQ(b.at("c").items()[1].mark, (Mark{3, 10}));
  EXPECT_EQ(b.at("é").mark, (Mark{4, 8}));   // characters, not bytes
}

TEST(Yaml, MarksAnEmptyValueOnItsOwnLine) {
  EXPECT_EQ(read("a:\n\n# more\nb: 1\n").at("a").mark, (Mark{1, 3}));
  EXPECT_EQ(read("a:\n  b:   # comment\n  c:\n\nd: 2\n").at("a").at("b").mark, (Mark{2, 5}));
  EXPECT_EQ(read("a:\n  b:\n  c:\n\nd: 2\n").at("a").at("c").mark, (Mark{3, 5}));
  EXPECT_EQ(read("'a' :").at("a").mark, (Mark{1, 6}));
  EXPECT_EQ(read("a:\nnull_like: 1\n").at("a").mark, (Mark{1, 3}));
  EXPECT_EQ(read("a: ~\n").at("a").mark, (Mark{1, 4}));
  EXPECT_EQ(read("- x\n-   # - none\n\n- y\n").items()[1].mark, (Mark{2, 1}));
  EXPECT_EQ(read("a: {b: , c: 1}\n").at("a").at("b").mark, (Mark{1, 7}));
}

TEST(Yaml, RefusesAKeyThatStandsTwice) {
  EXPECT_THAT(problems_of("a: 1\nb: 2\na: 3\na: 4\n"), ElementsAre("m.yaml:3:1: key \"a\" stands here a second time (first in line 1)",
                                                                   "m.yaml:4:1: key \"a\" stands here a second time (first in line 1)"));
  EXPECT_THAT(problems_of("x: {a: 1, \"a\": 2}\n"), ElementsAre(StartsWith("m.yaml:1:11: key \"a\" stands here a second time")));
}

TEST(Yaml, RefusesWhatHidesMeaning) {
  EXPECT_THAT(problems_of("a: &x 1\n"), ElementsAre(StartsWith("m.yaml:1:4: an anchor")));
  EXPECT_THAT(problems_of("a: &x\n  b: 1\n"), ElementsAre(StartsWith("m.yaml:1:4: an anchor")));
  EXPECT_THAT(problems_of("a: &x 1\nb: *x\n"), ElementsAre(HasSubstr("1:4: an anchor"), StartsWith("m.yaml:2:4: an alias")));
  EXPECT_THAT(problems_of("a: *x\n"), ElementsAre(StartsWith("m.yaml:1:4: an alias")));
  EXPECT_THAT(problems_of("b: 1\n<<: {a: 1}\n"), ElementsAre(StartsWith("m.yaml:2:1: a merge key <<")));
  EXPECT_THAT(problems_of("a: !!str 1\n"), ElementsAre(StartsWith("m.yaml:1:4: a tag")));
  EXPECT_THAT(problems_of("a: ! 1\n"), ElementsAre(StartsWith("m.yaml:1:4: a tag")));
  EXPECT_THAT(problems_of("a: !x [1]\n"), ElementsAre(StartsWith("m.yaml:1:4: a tag")));
  EXPECT_THAT(problems_of("a: 1\n---\nb: 2\n"), ElementsAre(StartsWith("m.yaml:2:1: a second document")));
  EXPECT_THAT(problems_of("a: 1\n...\nb: 2\n"), ElementsAre(StartsWith("m.yaml:3:1: a second document")));
  EXPECT_THAT(problems_of("? a\n: b\n"), ElementsAre(StartsWith("m.yaml:1:3: a key written with ?")));
  EXPECT_THAT(problems_of("[a]: 1\n"), ElementsAre(StartsWith("m.yaml:1:1: a list or mapping as a key")));
  EXPECT_THAT(problems_of("~: 1\n"), ElementsAre(StartsWith("m.yaml:1:1: a key is missing")));
}

TEST(Yaml, RefusesTextsThatRunOverTheirLine) {
  EXPECT_THAT(problems_of("a: 'unterminated\nb: 2\n"), ElementsAre(StartsWith("m.yaml:1:4: the quote ' is not closed on its line")));
  EXPECT_THAT(problems_of("a: \"one\nb: \"two\"\nc: 3\n"), ElementsAre(StartsWith("m.yaml:1:4: the quote \" is not closed on its line")));
  EXPECT_THAT(problems_of("a: 1\nb: \"unterminated\n"), ElementsAre(StartsWith("m.yaml:2:4: the quote \" is not closed on its line")));
  EXPECT_THAT(problems_of("a: 1\nb: 'x''y"), ElementsAre(StartsWith("m.yaml:2:4: the quote '")));
  EXPECT_THAT(problems_of("a: \"x\\\"\n"), ElementsAre(StartsWith("m.yaml:1:4: the quote \"")));
  EXPECT_THAT(problems_of("a: 'x\nb: 'y'\n"), testing::Contains(StartsWith("m.yaml:1:4: the quote '")));
  EXPECT_THAT(problems_of("a: 1\n  - b\n"), ElementsAre(StartsWith("m.yaml:1:4: the text \"1 - b\" goes on over the end of its line")));
}

TEST(Yaml, NamesThePlaceOfASyntaxError) {
  EXPECT_THAT(problems_of("a: 1\nb\n"), ElementsAre("m.yaml:2:1: \"b\" is a key without a colon (write `key: value`)"));
  EXPECT_THAT(problems_of("a: 1\nb:2\n"), ElementsAre("m.yaml:2:1: the colon in \"b:2\" is not followed by a blank (write `key: value`)"));
  EXPECT_THAT(problems_of("a: {b, c: 1}\n"), ElementsAre(StartsWith("m.yaml:1:5: \"b\" is a key without a colon")));
  EXPECT_THAT(problems_of("x: 1\na: [1, 2\n"), ElementsAre("m.yaml:2:4: a list opened with [ is not closed"));
  EXPECT_THAT(problems_of("x: 1\na: {b: 1\n"), ElementsAre("m.yaml:2:4: a mapping opened with { is not closed"));
  EXPECT_THAT(problems_of("a: }\n"), ElementsAre("m.yaml:1:4: a bracket is closed that was not opened"));
  EXPECT_THAT(problems_of("a: @x\n"), ElementsAre(StartsWith("m.yaml:1:4: a text cannot begin with this character")));
  EXPECT_THAT(problems_of("a: b: c\n"), ElementsAre(StartsWith("m.yaml:1:5: a colon where no value can follow")));
  EXPECT_THAT(problems_of("a: - 1\n"), ElementsAre(StartsWith("m.yaml:1:4: a list item cannot begin here")));
  EXPECT_THAT(problems_of("- a\nb: 1\n"), ElementsAre(StartsWith("m.yaml:2:1: this does not continue what stands above it")));
  EXPECT_THAT(problems_of("a: 1\n- b\n"), ElementsAre(StartsWith("m.yaml:2:1: this does not belong to what stands above it")));
  EXPECT_THAT(problems_of("a: \"\\q\"\n"), ElementsAre(StartsWith("m.yaml:1:7: unknown escape character")));
}

TEST(Yaml, RefusesBytesThatAreNoText) {
  EXPECT_THAT(problems_of("a: 1\nb: x\xFFy\n"), ElementsAre("m.yaml:2:5: byte 0xff is not UTF-8 (save the file as UTF-8)"));
  EXPECT_THAT(problems_of("a: x\x01y\nb: \x1b\n"),
              ElementsAre(StartsWith("m.yaml:1:5: control character 0x01"), StartsWith("m.yaml:2:4: control character 0x1b")));
  EXPECT_THAT(problems_of(std::string("\x7f\x45LF\n\xff\n\x02\0\xfe\n\xfd\n", 12)),
              ElementsAre(StartsWith("m.yaml:3:2: the file is not text (it holds a zero byte)")));
  EXPECT_THAT(problems_of("\xFF\xFE"
                          "a"),
              ElementsAre("m.yaml:1:1: the file is UTF-16 (save it as UTF-8)"));
  EXPECT_THAT(problems_of("a:\n\tb: 1\n"), ElementsAre("m.yaml:2:1: a tab indents this line (YAML is indented with blanks)"));
  EXPECT_THAT(problems_of("a: 1\n  \t# comment\n\t\n"), IsEmpty());
  EXPECT_THAT(problems_of("a: 1\rb: 2\n"), ElementsAre(StartsWith("m.yaml:1:5: control character 0x0d")));
}

TEST(Yaml, BoundsDepthAndSize) {
  EXPECT_THAT(problems_of(std::string(100, '[') + std::string(100, ']')), ElementsAre("m.yaml:1:65: nested deeper than 64 levels"));
  EXPECT_THAT(problems_of(std::string(100000, '[')), testing::Not(IsEmpty()));
  EXPECT_THAT(problems_of(std::string(5 << 20, 'a')), ElementsAre(StartsWith("m.yaml: the file has 5242880 bytes")));
  EXPECT_THAT(problems_of(std::string(60, '[') + std::string(60, ']')), IsEmpty());
}

TEST(YamlWriter, WritesBlockStyleWithQuotesOnlyWhereNeeded) {
  const Node tree = read(
      "{name: dev, seed: 42, lr: 3.0e-3, stages: {01_vocabulary: {kind: vocabulary, inputs: {text: [prose, jargon]}, output_hash: 'sha256:00ff'}},"
      " gates: {bits: '<= xz'}, none: null, empty: {}, list: [], word: 'yes', digits: '12', items: [{a: 1, b: [2]}, [3, [4]]], off: true}");

  EXPECT_EQ(to_yaml_block(tree),
            "name: dev\nseed: 42\nlr: 0.003\nstages:\n  01_vocabulary:\n    kind: vocabulary\n    inputs:\n      text:\n        - prose\n"
            "        - jargon\n    output_hash: sha256:00ff\ngates:\n  bits: \"<= xz\"\nnone: null\nempty: {}\nlist: []\nword: \"yes\"\n"
            "digits: \"12\"\nitems:\n  - a: 1\n    b:\n      - 2\n  - - 3\n    - - 4\n\"off\": true\n");
}

TEST(YamlWriter, GivesWhatTheReaderReadsBackEqual) {
  // Every text that could be taken for something else, as value and as key.
  const std::string_view texts[] = {
      "",          " ",    "a b",  "a: b", "a #b", "#a", "-",    "- a", "?",   ":",    "a:",   "[a]",  "{a}",          "!a",
      "&a",        "*a",   "|",    ">",    "%a",   "@a", "`a`",  "'",   "\"",  "null", "~",    "No",   "True",         "1",
      "-1",        "+1",   "1.0",  "1e3",  ".inf", ".5", "0x1f", "007", "=",   "<<",   "a\nb", "a\tb", "\r",           "é",
      "\x7f",      "\x01", "a\\b", "...",  "---",  "a ", "x,y",  "1:2", "12e", "_",    "/p/q", "a: ",  "\xEF\xBB\xBF", "\xE2\x80\xA8",
      "2026-01-01"};
  Node tree = Node::mapping();
  Node list = Node::sequence();
  for (const std::string_view text : texts) {
    tree.set(text, Node(text));
    list.push(Node(text));
  }
  tree.set("list", list);

  EXPECT_EQ(read(to_yaml_block(tree)), tree) << to_yaml_block(tree);
}

Node random_tree(std::uint64_t seed, std::uint64_t& drawn, int depth) {
  const auto draw = [&](std::uint64_t below) { return random_u64(seed, Purpose::test, drawn++) % below; };
  const auto text = [&] {
    std::string made;
    for (std::uint64_t left = draw(6); left > 0; --left) made += "ab1-:# '\"\\\n[{,.~\t"[draw(18)];
    return made;
  };
  switch (draw(depth > 4 ? 5 : 8)) {
    case 0: return Node(nullptr);
    case 1: return Node(draw(2) == 0);
    case 2: return Node(static_cast<std::int64_t>(random_u64(seed, Purpose::test, drawn++)));
    case 3: return Node(random_unit(seed, Purpose::test, drawn++) * 1e-3);
    case 4: return Node(text());
    case 5: {
      Node::Sequence items;
      for (std::uint64_t left = draw(4); left > 0; --left) items.push_back(random_tree(seed, drawn, depth + 1));
      return Node(std::move(items));
    }
    default: {
      Node made = Node::mapping();
      for (std::uint64_t left = draw(5); left > 0; --left) {
        std::string key = text();
        made.set(key, random_tree(seed, drawn, depth + 1));
      }
      return made;
    }
  }
}

TEST(YamlWriter, GivesBackRandomTrees) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    std::uint64_t drawn = 0;
    const Node tree = random_tree(seed, drawn, 0);
    Problems problems;

    const std::string text = to_yaml_block(tree);

    ASSERT_EQ(to_json(parse_yaml(text, "m", problems)), to_json(tree)) << "seed " << seed << "\n" << text;
    ASSERT_THAT(problems, IsEmpty()) << text << problems[0].to_string();
  }
}

}   // namespace
}   // namespace lastro
