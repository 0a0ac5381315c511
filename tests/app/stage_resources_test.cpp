#include "core/resources.h"

#include <gtest/gtest.h>

#include "core/settings.h"
#include "core/xz.h"
#include "eval/ngram.h"
#include "stages/dataset.h"
#include "stages/evaluate.h"
#include "stages/pretrain.h"
#include "stages/tokenizer.h"
#include "stages/vocabulary.h"

namespace lastro {
namespace {

constexpr std::int64_t mib = std::int64_t{1} << 20;

std::int64_t share(const Resources& resources, std::string_view name) {
  for (const MemoryShare& share : resources.memory_per_rank)
    if (share.name == name) return share.bytes;
  ADD_FAILURE() << "no class " << name;
  return 0;
}

PlanFacts facts(std::uint64_t source_bytes, std::int64_t limit_bytes) {
  PlanFacts facts;
  facts.source_bytes = source_bytes;
  facts.memory_limit_bytes = limit_bytes;
  facts.upstream = {{"03_dataset", std::string(DatasetStage::kind), to_node(DatasetSettings{}), std::nullopt, source_bytes},
                    {"01_vocabulary", std::string(VocabularyStage::kind), to_node(VocabularySettings{}), std::nullopt, source_bytes},
                    {"04_pretrain", std::string(PretrainStage::kind), to_node(PretrainSettings{}), std::nullopt, 0}};
  return facts;
}

std::int64_t needed(const Resources& resources) { return resources.memory_bytes(); }

TEST(ResourcesOfTextStages, NeedTheProgramAndBuffersHoweverLittleTextThereIs) {
  const PlanFacts tiny = facts(1000, mib);

  EXPECT_GT(needed(VocabularyStage::resources({}, tiny)), 16 * mib);
  EXPECT_GT(needed(TokenizerStage::resources({}, tiny)), 16 * mib);
  EXPECT_GT(needed(DatasetStage::resources({}, tiny)), 16 * mib);
}

TEST(ResourcesOfTextStages, FitIntoTheLimitHoweverMuchTextThereIs) {
  const PlanFacts large = facts(std::uint64_t{1} << 40, 64 * mib);

  EXPECT_LE(needed(VocabularyStage::resources({}, large)), 64 * mib);
  EXPECT_LE(needed(TokenizerStage::resources({}, large)), 64 * mib);
  EXPECT_LE(needed(DatasetStage::resources({}, large)), 64 * mib);
}

TEST(ResourcesOfEvaluate, CountTheLargerOfItsYardsticks) {
  EvaluateSettings both, xz_alone, ngram_alone, neither;
  xz_alone.ngram_tokens = neither.ngram_tokens = 0;
  ngram_alone.xz_bytes = neither.xz_bytes = 0;
  const PlanFacts of_text = facts(3'000'000, 0);
  const auto yardsticks = [&](const EvaluateSettings& settings) { return share(EvaluateStage::resources(settings, of_text), "yardsticks"); };

  EXPECT_GT(yardsticks(xz_alone), XzLength::memory_bytes(3'000'000));
  EXPECT_GT(yardsticks(ngram_alone), NgramModel::memory_bytes(900'000));
  EXPECT_EQ(yardsticks(both), std::max(yardsticks(xz_alone), yardsticks(ngram_alone)));
  EXPECT_EQ(yardsticks(neither), 0);
}

TEST(ResourcesOfEvaluate, GoByTheDatasetOnceItIsMade) {
  PlanFacts unmade = facts(1'000'000, 0), made = unmade;
  made.upstream[0].summary = Node::mapping();
  made.upstream[0].summary->set("text_bytes", 30'000'000);   // the sources were packed better than their beginnings
  made.upstream[0].summary->set("tokens", 9'000'000);
  made.upstream[0].summary->set("held_out_text_bytes", 300'000);

  EXPECT_GT(share(EvaluateStage::resources({}, made), "yardsticks"), XzLength::memory_bytes(30'000'000));
  EXPECT_LT(share(EvaluateStage::resources({}, unmade), "yardsticks"), XzLength::memory_bytes(30'000'000));
  EXPECT_GT(share(EvaluateStage::resources({}, made), "held-out text"), 300'000);
}

TEST(ResourcesOfEvaluate, AreLessWithoutYardsticks) {
  const PlanFacts of_text = facts(30'000'000, 0);
  std::int64_t last = needed(EvaluateStage::resources({}, of_text));

  for (const auto& change : EvaluateStage::changes({})) {
    const std::int64_t less = needed(EvaluateStage::resources(change.settings, of_text));
    EXPECT_LE(less, last) << change.what;
    last = less;
  }
  EXPECT_LT(last, needed(EvaluateStage::resources({}, of_text)) / 2);
}

}   // namespace
}   // namespace lastro
