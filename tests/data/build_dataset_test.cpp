#include "data/build_dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "data/contamination.h"
#include "data/made_texts.h"
#include "data/minhash.h"
#include "data/words.h"

namespace lastro {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using namespace test;

// The text with every `distance`-th word replaced.
std::string varied(std::uint64_t text, int words, int distance) {
  auto list = words_of(text, words);
  for (int i = distance / 2; i < words; i += distance) list[static_cast<std::size_t>(i)] = "changed" + std::to_string(i);
  return joined(list);
}

double similarity(std::string_view a, std::string_view b) {
  std::vector<std::uint64_t> words, first, second;
  hash_words(a, words);
  shingles_of(words, first);
  hash_words(b, words);
  shingles_of(words, second);
  const Overlap overlap = overlap_of(first, second);
  return static_cast<double>(overlap.common) / static_cast<double>(overlap.all);
}

// A corpus with everything in it: two sources over several files, exact and near duplicates within and across, short rows, malformed rows,
// evaluation items in part of it.
struct Corpus {
  explicit Corpus(DatasetBench& bench, bool is_permuted = false) {
    auto first = texts_from(1, 300), second = texts_from(1000, 200);
    second.push_back(first[10]);
    first.push_back(first[20]);
    for (int i = 0; i < 30; ++i) second.push_back(varied(static_cast<std::uint64_t>(100 + i), 60, 60));
    first.push_back("short");
    first[5] += " " + joined(words_of(90000, 20)) + " and more";
    std::vector<std::vector<std::string>> files{
        {first.begin(), first.begin() + 100}, {first.begin() + 100, first.begin() + 103}, {first.begin() + 103, first.end()}};
    if (is_permuted) std::swap(files[0], files[2]);
    text = {bench.rows("prose", files), bench.rows("jargon", {second})};
    evaluation = {bench.rows("exam", {{joined(words_of(90000, 20)), "what is the capital of w1"}})};
    text[1].weight = 2;
    Source stories;
    stories.name = "stories";
    stories.format = SourceFormat::stories;
    stories.generated_seed = 4;
    stories.generated_bytes = 30000;
    text.push_back(stories);
  }
  Sources text, evaluation;
};

TEST(Dataset, HasTheSameBytesForAnyRanksThreadsAndMemory) {
  DatasetBench bench;
  const Corpus corpus(bench);
  const auto expected = contents(bench.make(usual(), corpus.text, corpus.evaluation));
  EXPECT_GT(expected.size(), 12u);

  for (const auto& [ranks, workers, memory] : {std::tuple{2, 1, std::int64_t{256} << 20}, {3, 2, std::int64_t{1} << 20}, {4, 1, std::int64_t{1}}}) {
    Making how = usual();
    how.ranks = ranks;
    how.workers = workers;
    how.memory_bytes = memory;
    EXPECT_EQ(contents(bench.make(how, corpus.text, corpus.evaluation)), expected) << ranks << " ranks";
  }
}

TEST(Dataset, DoesNotDependOnTheOrderOfFiles) {
  DatasetBench bench;
  const Corpus corpus(bench), permuted(bench, true);

  EXPECT_EQ(contents(bench.make(usual(), corpus.text, corpus.evaluation)), contents(bench.make(usual(), permuted.text, permuted.evaluation)));
}

TEST(Dataset, TellsOfDocumentsAndNotOfEvaluationItemsHowFarItIs) {
  DatasetBench bench;
  const Source prose = bench.rows("prose", {texts_from(1, 40)}), exam = bench.rows("exam", {texts_from(100, 7)});

  bench.make(usual(), {prose}, {exam});

  EXPECT_EQ(bench.tracker.progress_of, (std::map<std::string, std::string>{{"read", "40/0 documents"},
                                                                           {"searched for evaluation items", "40/40 documents"},
                                                                           {"signatures", "40/40 documents"},
                                                                           {"tokenised", "40/40 documents"}}));
}

TEST(Dataset, AccountsForEveryDocument) {
  DatasetBench bench;
  const Corpus corpus(bench);

  const auto dataset = bench.make(usual(), corpus.text, corpus.evaluation);

  const Node& summary = bench.summary;
  EXPECT_EQ(count(summary, "exact_duplicate"), 2);
  EXPECT_EQ(count(summary, "too_short"), 1);
  EXPECT_EQ(count(summary, "contaminated"), 1);
  EXPECT_EQ(count(summary, "near_duplicate"), 30);
  EXPECT_EQ(count(summary, "evaluation_items"), 2);
  const auto removed = ledger_of(dataset);
  EXPECT_THAT(removed, SizeIs(34));
  const std::size_t read = 302 + 231 + 64;
  EXPECT_EQ(texts_of(dataset, Split::train).size() + texts_of(dataset, Split::held_out).size() + removed.size(), read);
  EXPECT_EQ(count(summary, "documents"), static_cast<std::int64_t>(texts_of(dataset, Split::train).size()));
  std::set<std::string> rules;
  for (const Node& line : removed) rules.insert(line.at("rule").text());
  EXPECT_THAT(rules, ElementsAre("contaminated", "exact_duplicate", "near_duplicate", "too_short"));
}

TEST(Dataset, NamesWhatEachDuplicateIsADuplicateOf) {
  DatasetBench bench;
  const auto texts = texts_from(1, 5);
  const Source prose = bench.rows("prose", {texts}), copies = bench.rows("copies", {{texts[2], "something else altogether"}});

  const auto ledger = ledger_of(bench.make(usual(), {prose, copies}));

  ASSERT_THAT(ledger, SizeIs(1));
  EXPECT_EQ(ledger[0].at("source").text(), "copies");
  EXPECT_EQ(ledger[0].at("sha256").text(), sha256(texts[2]).hex());
  EXPECT_EQ(ledger[0].at("of").at("source").text(), "prose");
  EXPECT_EQ(ledger[0].at("of").at("file").text(), prose.files[0].sha256.hex());
}

TEST(Dataset, RemovesPlantedNearDuplicatesAndNothingElse) {
  DatasetBench bench;
  std::vector<std::string> originals, copies;
  for (std::uint64_t i = 0; i < 200; ++i) {
    originals.push_back(joined(words_of(i, 200)));
    copies.push_back(varied(i, 200, i % 2 == 0 ? 150 : 20));   // one word changed (similarity above 0.9), or ten (below 0.7)
  }
  ASSERT_GT(similarity(originals[0], copies[0]), 0.9);
  ASSERT_LT(similarity(originals[1], copies[1]), 0.7);
  Making how = usual();
  how.ranks = 3;
  how.settings.held_out = 0;

  const auto dataset = bench.make(how, {bench.rows("originals", {originals}), bench.rows("copies", {copies})});

  const auto kept = texts_of(dataset, Split::train);
  const std::set<std::string> left(kept.begin(), kept.end());
  int found = 0;
  for (int i = 0; i < 200; ++i) {
    EXPECT_EQ(left.count(originals[static_cast<std::size_t>(i)]), 1u);
    if (i % 2 == 0)
      found += left.count(copies[static_cast<std::size_t>(i)]) == 0;
    else
      EXPECT_EQ(left.count(copies[static_cast<std::size_t>(i)]), 1u);
  }
  RecordProperty("recall", std::to_string(found) + " of 100");
  EXPECT_GE(found, 98);
}

TEST(Dataset, KeepsNoTwoDocumentsOfABucketThatAreAlike) {
  DatasetBench bench;
  std::vector<std::string> family;
  for (int i = 0; i < 40; ++i) {
    auto words = words_of(7, 300);
    words[static_cast<std::size_t>(i)] = "own" + std::to_string(i);
    family.push_back(joined(words));
  }
  family.push_back(joined(words_of(8, 300)));

  const auto kept = texts_of(bench.make(usual(), {bench.rows("family", {family})}), Split::train);

  EXPECT_EQ(kept.size() + texts_of(bench.make(usual(), {bench.rows("family", {family})}), Split::held_out).size(), 2u);
}

TEST(Dataset, KeepsTheNearDuplicateOfTheSmallestDigestWhereverItStands) {
  DatasetBench bench;
  std::vector<std::string> smaller, larger;   // of each pair, by digest
  for (std::uint64_t i = 0; i < 20; ++i) {
    const std::string one = joined(words_of(i, 200)), other = varied(i, 200, 150);
    (sha256(one) < sha256(other) ? smaller : larger).push_back(one);
    (sha256(one) < sha256(other) ? larger : smaller).push_back(other);
  }
  std::vector<std::string> smaller_first(smaller), larger_first(larger);
  smaller_first.insert(smaller_first.end(), larger.begin(), larger.end());
  larger_first.insert(larger_first.end(), smaller.begin(), smaller.end());
  Making how = usual();
  how.settings.held_out = 0;

  for (const auto& texts : {smaller_first, larger_first}) EXPECT_EQ(texts_of(bench.make(how, {bench.rows("prose", {texts})}), Split::train), smaller);
}

TEST(Dataset, PutsEachSourceIntoShardsOfItsOwn) {
  DatasetBench bench;
  const auto first = texts_from(1, 30), second = texts_from(1000, 40);
  Making how = usual();
  how.ranks = 2;
  how.settings.held_out = 0;

  const auto dataset = bench.make(how, {bench.rows("first", {first}), bench.rows("second", {second})}, {bench.rows("exam", {texts_from(2000, 5)})});

  const DatasetLayout layout = read_dataset_layout(dataset);
  EXPECT_EQ(layout.train[0].documents(), 30);
  EXPECT_EQ(layout.train[1].documents(), 40);
  EXPECT_EQ(layout.evaluation[0].documents(), 5);
  EXPECT_EQ(layout.train[1].shards.front().name, "train/second-00000");
  std::vector<std::string> all(first);
  all.insert(all.end(), second.begin(), second.end());
  EXPECT_EQ(texts_of(dataset, Split::train), all);
}

TEST(Dataset, RemovesOrReportsDocumentsThatHoldEvaluationItems) {
  DatasetBench bench;
  auto texts = texts_from(1, 50);
  const std::string item = joined(words_of(777, 30));
  texts[3] += ". " + item.substr(0, item.size() / 2 + 10) + " and on it goes";   // half of the item is more than 13 words
  texts[4] += ". \\\"Which is the LARGEST of the moons?\\\" he asked";
  const Sources text{bench.rows("prose", {texts})};
  const Sources exam{bench.rows("exam", {{item, "which is the largest of the moons", texts_from(5000, 1)[0]}})};
  Making how = usual();
  how.settings.held_out = 0;

  EXPECT_THAT(texts_of(bench.make(how, text, exam), Split::train), AllOf(SizeIs(48), Not(Contains(HasSubstr("moons")))));
  how.settings.decontaminate = Decontaminate::report;
  const auto reported = bench.make(how, text, exam);

  EXPECT_THAT(texts_of(reported, Split::train), SizeIs(50));
  const auto ledger = ledger_of(reported);
  ASSERT_THAT(ledger, SizeIs(2));
  EXPECT_EQ(ledger[0].at("action").text(), "reported");
  EXPECT_EQ(ledger[0].at("of").at("source").text(), "exam");
  EXPECT_THAT(texts_of(reported, Split::evaluation), ElementsAre(item, "which is the largest of the moons", texts_from(5000, 1)[0]));
}

TEST(Dataset, LooksForEachParagraphOfATextOfExamQuestionsOnItsOwn) {
  DatasetBench bench;
  auto texts = texts_from(1, 20);
  texts[7] += ". Which is the largest of the moons? " + joined(words_of(900, 5));
  Source exam;
  exam.name = "exam";
  exam.files = {
      write_file(bench.file("exam.txt"), "Who was it?\n\nWhich is the largest\nof the moons?\n\n* * *\n\nWhen does the ship sail again?\n")};
  Making how = usual();
  how.ranks = 2;
  how.settings.held_out = 0;
  how.settings.decontaminate = Decontaminate::report;

  const auto dataset = bench.make(how, {bench.rows("prose", {texts})}, {exam});

  EXPECT_EQ(count(bench.summary, "evaluation_items"), 3);
  EXPECT_EQ(count(bench.summary, "contaminated"), 1);
  EXPECT_THAT(texts_of(dataset, Split::evaluation),
              ElementsAre("Who was it?", "Which is the largest\nof the moons?", "When does the ship sail again?"));
  run_as_ranks(2, [&](Collective& ranks) {
    const Contamination found = measure_contamination(dataset, ranks, 1 << 28);
    EXPECT_EQ(found.items(), 3);
    EXPECT_EQ(found.contaminated(), 1);
  });
}

TEST(Dataset, HoldsOutTheSameDocumentsWhateverElseIsThere) {
  DatasetBench bench;
  const auto texts = texts_from(1, 400);
  const auto alone = texts_of(bench.make(usual(), {bench.rows("prose", {texts})}), Split::held_out);
  const auto beside = texts_of(bench.make(usual(), {bench.rows("other", {texts_from(7000, 100)}), bench.rows("prose", {texts})}), Split::held_out);
  const std::set<std::string> all(beside.begin(), beside.end());

  EXPECT_NEAR(static_cast<double>(alone.size()), 40, 20);
  for (const std::string& text : alone) EXPECT_EQ(all.count(text), 1u);
  Making reseeded = usual();
  reseeded.seed = 43;
  EXPECT_NE(texts_of(bench.make(reseeded, {bench.rows("prose", {texts})}), Split::held_out), alone);
}

TEST(Dataset, HoldsOutOneDocumentOfFew) {
  DatasetBench bench;
  Making how = usual();
  how.settings.held_out = 0.001;

  const auto dataset = bench.make(how, {bench.rows("prose", {texts_from(1, 3)})});

  EXPECT_THAT(texts_of(dataset, Split::held_out), SizeIs(1));
  EXPECT_THAT(texts_of(dataset, Split::train), SizeIs(2));
}

TEST(Dataset, EndsShardsByTheirTokensAndSaysTheirDigests) {
  DatasetBench bench;
  const auto dataset = bench.make(usual(), {bench.rows("prose", {texts_from(1, 500)})});
  const DatasetLayout layout = read_dataset_layout(dataset);
  const auto& shards = layout.train[0].shards;

  ASSERT_GT(shards.size(), 5u);
  EXPECT_EQ(layout.token_bytes, 2);
  for (std::size_t i = 0; i < shards.size(); ++i) {
    EXPECT_EQ(sha256_file(dataset / (shards[i].name + ".tokens")), shards[i].tokens_sha256);
    EXPECT_EQ(sha256_file(dataset / (shards[i].name + ".index")), shards[i].index_sha256);
    if (i + 1 < shards.size()) {
      EXPECT_GE(shards[i].tokens, 20000);
      EXPECT_LT(shards[i].tokens, 21000);
    }
  }
}

}   // namespace
}   // namespace lastro
