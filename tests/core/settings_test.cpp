#include "core/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "core/json.h"
#include "core/settings_text.h"

namespace lastro {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

enum class Ties { smallest_ids, first_seen };
constexpr auto enum_names(Ties) { return std::array{EnumName{Ties::smallest_ids, "smallest_ids"}, EnumName{Ties::first_seen, "first_seen"}}; }

struct Shape {
  std::int64_t width = 256;
  std::int64_t heads = 4;
  bool operator==(const Shape&) const = default;
  static constexpr std::tuple fields{
      field("width", &Shape::width, {.doc = "of the residual stream", .unit = "elements", .min = 8, .max = 65536}),
      field("heads", &Shape::heads, {.doc = "of attention", .min = 1}),
  };
};

struct Recipe {
  std::int64_t steps = 600;
  double lr = 3e-3;
  bool tied = true;
  std::string note = "";
  Ties ties = Ties::smallest_ids;
  std::optional<double> clip;
  std::vector<std::string> special{"<|end|>"};
  std::int64_t save_every = 50;
  Shape model;
  bool operator==(const Recipe&) const = default;
  static constexpr std::tuple fields{
      field("steps", &Recipe::steps, {.doc = "how long", .unit = "steps", .min = 1}),
      field("lr", &Recipe::lr, {.doc = "peak learning rate", .above = 0}),
      field("tied", &Recipe::tied, {.doc = "one matrix for head and embedding"}),
      field("note", &Recipe::note, {.doc = "for readers", .bears = Bears::nothing}),
      field("ties", &Recipe::ties, {.doc = "who goes first"}),
      field("clip", &Recipe::clip, {.doc = "largest gradient norm", .above = 0, .absent = "off"}),
      field("special", &Recipe::special, {.doc = "tokens of their own"}),
      field("save_every", &Recipe::save_every, {.doc = "a checkpoint", .unit = "steps", .min = 1, .bears = Bears::nothing}),
      field("model", &Recipe::model, {.doc = "the shape"}),
  };
};

Node marked(Node node, int line, int column) {
  node.mark = {line, column};
  return node;
}

// A mapping with one marked entry.
Node one(std::string key, Node value, Mark key_mark = {3, 5}, Mark value_mark = {3, 12}) {
  value.mark = value_mark;
  Node node(Node::Mapping{{std::move(key), std::move(value), key_mark}});
  node.mark = {2, 1};
  return node;
}

std::vector<std::string> problems_of(const Node& given) {
  Problems problems;
  parse_settings<Recipe>(given, {"m.yaml", "04_pretrain.settings", {1, 1}}, problems);
  std::vector<std::string> texts;
  for (const Problem& problem : problems) texts.push_back(problem.to_string());
  return texts;
}

TEST(Settings, TakeTheirDefaultsWhereNothingIsGiven) {
  Problems problems;

  EXPECT_EQ(parse_settings<Recipe>(Node(), {}, problems), Recipe{});
  EXPECT_THAT(problems, IsEmpty());
}

TEST(Settings, ReadBackWhatTheyWrite) {
  Recipe recipe;
  recipe.clip = 0.5;
  recipe.ties = Ties::first_seen;
  recipe.special = {"a", "b"};
  recipe.model.heads = 7;
  Problems problems;

  EXPECT_EQ(parse_settings<Recipe>(to_node(recipe), {}, problems), recipe);
  EXPECT_EQ(settings_from<Recipe>(to_node(recipe)), recipe);
  EXPECT_THAT(problems, IsEmpty());
}

TEST(Settings, KeepTheirOrderOfDeclarationWhateverTheOrderGiven) {
  Node given = Node::mapping();
  given.set("lr", 1);
  given.set("steps", 5);
  Problems problems;

  EXPECT_EQ(to_json(complete_settings(specs_of<Recipe>(), given, {}, problems)),
            R"({"steps":5,"lr":1.0,"tied":true,"note":"","ties":"smallest_ids","clip":null,"special":["<|end|>"],"save_every":50,)"
            R"("model":{"width":256,"heads":4}})");
}

TEST(Settings, FallBackToTheRecipeThatIsNamed) {
  Recipe small;
  small.model.width = 64;
  Problems problems;

  const Recipe read = parse_settings(one("steps", 5), {}, problems, small);

  EXPECT_EQ(read.model.width, 64);
  EXPECT_EQ(read.steps, 5);
}

TEST(Settings, NameTheNearestKeyForAnUnknownOne) {
  EXPECT_THAT(problems_of(one("stesp", 5)), ElementsAre("m.yaml:3:5: unknown key \"stesp\" in 04_pretrain.settings. Did you mean \"steps\"?"));
  EXPECT_THAT(problems_of(one("model", one("colour", 5, {4, 7}, {4, 15}))),
              ElementsAre("m.yaml:4:7: unknown key \"colour\" in 04_pretrain.settings.model (known: width, heads)"));
}

TEST(Settings, SayWhatTypeAFieldHas) {
  EXPECT_THAT(problems_of(one("steps", "many")),
              ElementsAre("m.yaml:3:12: 04_pretrain.settings.steps=\"many\" (must be a whole number; how long, in steps)"));
  EXPECT_THAT(problems_of(one("steps", 3.0)),
              ElementsAre("m.yaml:3:12: 04_pretrain.settings.steps=3.0 (must be a whole number; how long, in steps). Write 3"));
  EXPECT_THAT(problems_of(one("note", 7)), ElementsAre(HasSubstr("note=7 (must be a text; for readers). Put it in quotes")));
  EXPECT_THAT(problems_of(one("tied", "yes")), ElementsAre(HasSubstr("tied=\"yes\" (must be true or false;")));
  EXPECT_THAT(problems_of(one("steps", Node())), ElementsAre(HasSubstr("steps=null (must be a whole number")));
  EXPECT_THAT(problems_of(one("special", "a")), ElementsAre(HasSubstr("special=\"a\" (must be a list")));
  EXPECT_THAT(problems_of(one("special", Node(Node::Sequence{Node("a"), marked(Node(1), 9, 9)}))), ElementsAre(HasSubstr("m.yaml:9:9: ")));
  EXPECT_THAT(problems_of(one("model", 5)), ElementsAre(HasSubstr("m.yaml:3:12: 04_pretrain.settings.model=5 (must be a mapping")));
  EXPECT_THAT(problems_of(one("ties", "frist_seen")), ElementsAre(HasSubstr("Did you mean \"first_seen\"?")));
}

TEST(Settings, SayTheRangeOfAFieldWithItsUnit) {
  EXPECT_THAT(problems_of(one("steps", 0)), ElementsAre("m.yaml:3:12: 04_pretrain.settings.steps=0 (must be at least 1; how long, in steps)"));
  EXPECT_THAT(problems_of(one("lr", 0)), ElementsAre("m.yaml:3:12: 04_pretrain.settings.lr=0 (must be above 0; peak learning rate)"));
  EXPECT_THAT(problems_of(one("lr", std::numeric_limits<double>::infinity())), ElementsAre(HasSubstr("(must be finite")));
  EXPECT_THAT(problems_of(one("model", one("width", 65537, {4, 7}, {4, 14}))),
              ElementsAre("m.yaml:4:14: 04_pretrain.settings.model.width=65537 (must be from 8 to 65536; of the residual stream, in elements)"));
}

TEST(Settings, TakeNullAndTheFieldsOwnWordAsAbsent) {
  EXPECT_THAT(problems_of(one("clip", Node())), IsEmpty());
  EXPECT_THAT(problems_of(one("clip", "off")), IsEmpty());
  EXPECT_THAT(problems_of(one("clip", "on")), ElementsAre(HasSubstr("clip=\"on\" (must be a number")));
}

TEST(Settings, ReportAllProblemsAtOnce) {
  Node given = Node::mapping();
  given.set("stesp", 5);
  given.set("lr", -1);
  given.set("model", one("width", 1));

  EXPECT_EQ(problems_of(given).size(), 3u);
}

TEST(Settings, GiveTheStageKeyOnlyWhatBearsAResult) {
  Recipe one_recipe, other;
  other.save_every = 7;
  other.note = "changed";

  const auto text = [](const Recipe& recipe) { return to_canonical_json(result_bearing(specs_of<Recipe>(), to_node(recipe))); };

  EXPECT_EQ(text(one_recipe), text(other));
  EXPECT_THAT(text(one_recipe), testing::Not(HasSubstr("save_every")));
  other.model.heads = 3;
  EXPECT_NE(text(one_recipe), text(other));
}

TEST(Settings, HaveASchemaWithDefaultsBoundsAndUnits) {
  const Node schema = schema_of(specs_of<Recipe>());

  const Node& properties = schema.at("properties");
  EXPECT_EQ(to_json(properties.at("steps")), R"({"type":"integer","minimum":1,"description":"how long","x-unit":"steps","default":600})");
  EXPECT_EQ(to_json(properties.at("clip")),
            R"({"anyOf":[{"type":"number","exclusiveMinimum":0},{"enum":[null,"off"]}],"description":"largest gradient norm","default":"off"})");
  EXPECT_EQ(to_json(properties.at("special").at("items")), R"({"type":"string"})");
  EXPECT_EQ(to_json(properties.at("ties").at("enum")), R"(["smallest_ids","first_seen"])");
  EXPECT_EQ(properties.at("model").at("properties").at("width").at("maximum").integer(), 65536);
  EXPECT_EQ(to_json(schema.at("additionalProperties")), "false");
}

TEST(Settings, HaveARowOfReferenceForEachField) {
  const std::string rows = markdown_rows(specs_of<Recipe>());

  EXPECT_THAT(rows, HasSubstr("| `steps` | `600` | whole number, at least 1, steps | how long |\n"));
  EXPECT_THAT(rows, HasSubstr("| `clip` | `off` | number, above 0; or off | largest gradient norm |\n"));
  EXPECT_THAT(rows, HasSubstr("| `model.width` | `256` | whole number, 8 to 65536, elements | of the residual stream |\n"));
  EXPECT_THAT(rows, HasSubstr("`[\"<\\|end\\|>\"]`"));
}

TEST(Settings, ShowStrangeTextSafely) {
  EXPECT_EQ(shown(Node("a\nb\x7f\x1b[0m")), "\"a b  [0m\"");
  EXPECT_LT(shown(Node(std::string(1000, 'x'))).size(), 70u);
}

}   // namespace
}   // namespace lastro
