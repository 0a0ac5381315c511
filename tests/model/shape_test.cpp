#include "model/shape.h"

#include <gmock/gmock.h>

#include "domain/errors.h"

namespace lastro {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(ModelShape, IsCompleteWithTheTokenizersSizeAndADerivedHeadLength) {
  ModelShape shape;
  shape.width = 96;
  shape.heads = 6;
  shape.kv_heads = 3;

  const ModelShape whole = complete(shape, 1000);

  EXPECT_EQ(whole.head_dim, 16);
  EXPECT_EQ(whole.vocabulary, 1000);
  EXPECT_EQ(whole.padded_vocabulary(), 1024);
}

TEST(ModelShape, SaysEveryCrossProblemAtOnce) {
  ModelShape shape;
  shape.width = 50;
  shape.heads = 4;
  shape.kv_heads = 3;

  std::vector<std::string> texts;
  for (const CrossProblem& problem : cross_problems(shape)) texts.push_back(problem.text);

  EXPECT_THAT(texts, ElementsAre(HasSubstr("kv_heads=3 does not divide heads=4"), HasSubstr("width=50 is not a multiple of heads=4")));
  EXPECT_THAT(cross_problems(ModelShape{}), IsEmpty());
}

TEST(ModelShape, RefusesATokenizerLargerThanItsVocabulary) {
  ModelShape shape;
  shape.vocabulary = 100;

  EXPECT_THROW(complete(shape, 101), UsageError);
  EXPECT_EQ(complete(shape, 99).vocabulary, 100);
}

TEST(ModelShape, SurvivesItsRecord) {
  ModelShape shape = complete(ModelShape{}, 77);
  shape.tied = false;
  shape.rope_theta = 500000.0;

  EXPECT_EQ(model_shape_from(to_node(shape)), shape);
}

TEST(ModelShape, RefusesARecordWithAHole) {
  Node record = to_node(complete(ModelShape{}, 77));
  Node damaged = Node::mapping();
  for (const auto& entry : record.entries())
    if (entry.key != "ffn") damaged.set(entry.key, entry.value);
  record.set("layers", "six");

  EXPECT_THROW(model_shape_from(damaged), ContractError);
  EXPECT_THROW(model_shape_from(record), ContractError);
}

}   // namespace
}   // namespace lastro
