#include "data/contamination.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/dataset_fixture.h"

namespace lastro {
namespace {

using ::testing::ElementsAre;
using namespace test;

std::vector<std::string> questions(int count) {
  std::vector<std::string> texts;
  for (int i = 0; i < count; ++i) {
    std::string text = "question " + std::to_string(i);
    for (int word = 0; word < 20; ++word) text += " word" + std::to_string((i * 31 + word * 17) % 9973);
    texts.push_back(text);
  }
  return texts;
}

struct Contaminated {
  explicit Contaminated(Decontaminate mode) {
    auto texts = questions(100);
    for (auto& text : texts) text += " and its answer";
    const auto items = questions(6);
    std::vector<std::string> exam(items.begin() + 1, items.begin() + 4), other{"an item that nobody has seen before in any text"};
    for (int i = 0; i < 47; ++i) exam.push_back("unseen " + std::to_string(i) + " is a question about nothing");
    Making how;
    how.settings.decontaminate = mode;
    how.settings.held_out = 0;
    how.settings.shard_tokens = 2000;
    folder = bench.make(how, {bench.rows("prose", {texts})}, {bench.rows("exam", {exam}), bench.rows("other", {other})});
  }
  DatasetBench bench;
  std::filesystem::path folder;
};

TEST(Contamination, IsMeasuredFromTheShardsOnTheirOwn) {
  const Contaminated data(Decontaminate::report);
  for (const auto& [ranks, memory] : {std::pair{1, std::int64_t{1} << 28}, {3, std::int64_t{1} << 28}, {2, std::int64_t{1}}})
    run_as_ranks(ranks, [&](Collective& collective) {
      const Contamination found = measure_contamination(data.folder, collective, memory);

      ASSERT_EQ(found.sets.size(), 2u);
      EXPECT_EQ(found.sets[0].items, 50);
      EXPECT_EQ(found.sets[0].contaminated, 3);
      EXPECT_THAT(found.sets[0].first_items, ElementsAre(0, 1, 2));
      EXPECT_EQ(found.sets[1].contaminated, 0);
      EXPECT_DOUBLE_EQ(found.share(), 3.0 / 51);
    });
}

TEST(Contamination, EndsEarlyWhereARankIsAskedToStop) {
  const Contaminated data(Decontaminate::report);
  run_as_ranks(2, [&](Collective& collective) {
    const bool is_asked = collective.rank().value == 1;
    EXPECT_EQ(measure_contamination(data.folder, collective, 1 << 28, [is_asked] { return is_asked; }).contaminated(), 0);
  });
}

TEST(Contamination, IsNoughtAfterDecontamination) {
  const Contaminated data(Decontaminate::remove);
  run_as_ranks(2, [&](Collective& collective) { EXPECT_EQ(measure_contamination(data.folder, collective, 1 << 28).contaminated(), 0); });
}

TEST(Contamination, OfNoItemsIsNought) {
  DatasetBench bench;
  const auto folder = bench.make({}, {bench.rows("prose", {questions(10)})});
  run_as_ranks(1, [&](Collective& collective) { EXPECT_EQ(measure_contamination(folder, collective, 1 << 28).share(), 0); });
}

}   // namespace
}   // namespace lastro
