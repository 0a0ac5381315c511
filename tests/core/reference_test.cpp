#include "core/reference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/json.h"
#include "tests/core/toy_stages.h"

namespace lastro {
namespace {

using testing::HasSubstr;

TEST(ManifestSchema, KnowsEachFieldOfTheParser) {
  const Node schema = manifest_schema(toy::registry());

  const Node& properties = schema.at("properties");
  for (const char* key : {"pipeline_version", "name", "seed", "git_commit", "sources", "stages", "gates", "baseline", "budget", "rates", "store",
                          "reference", "verdict"})
    EXPECT_TRUE(properties.find(key)) << key;
  EXPECT_EQ(to_json(properties.at("rates").at("properties").at("peak_tflops").at("default")), R"("auto")");
  const Node& stage = properties.at("stages").at("patternProperties").entries()[0].value;
  EXPECT_EQ(to_json(stage.at("properties").at("kind").at("enum")), R"(["vocabulary","tokenizer","dataset","pretrain","sft","dpo","evaluate"])");
  const Node& pretrain = stage.at("allOf").items()[3].at("then").at("properties");
  EXPECT_EQ(to_json(pretrain.at("recipe").at("enum")), R"(["small","large",null])");
  EXPECT_EQ(to_json(pretrain.at("inputs").at("required")), R"(["dataset"])");
  EXPECT_EQ(pretrain.at("settings").at("anyOf").items()[0].at("properties").at("steps").at("x-unit").text(), "steps");
}

TEST(ManifestReference, HasEachFieldAndKind) {
  const std::string text = manifest_reference(toy::registry());

  EXPECT_THAT(text, HasSubstr("| `seed` | `42` | whole number, at least 0 |"));
  EXPECT_THAT(text, HasSubstr("| `budget.cost_usd` |"));
  EXPECT_THAT(text, HasSubstr("### `kind: vocabulary`, makes a vocabulary\n\nlearns which byte sequences are tokens\n"));
  EXPECT_THAT(text, HasSubstr("| `settings.size` | `2048` | whole number, 257 to 1000000, tokens | tokens, special ones included |"));
  EXPECT_THAT(text, HasSubstr("| `inputs.evaluation` | none | text sources | |"));
  EXPECT_THAT(text, HasSubstr("- `recipe: small`: for a laptop"));
  EXPECT_THAT(text, HasSubstr("Measures, for gates: `bits_per_byte`, `xz`"));
}

}   // namespace
}   // namespace lastro
