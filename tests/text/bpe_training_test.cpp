#include "text/bpe_training.h"

#include <gmock/gmock.h>

#include <set>

#include "domain/errors.h"
#include "naive_bpe.h"
#include "sample_text.h"
#include "text/merge_table.h"

namespace lastro {
namespace {

using Pretokens = std::map<std::string, std::uint64_t>;

BpeTraining train(const Pretokens& pretokens, std::size_t size, std::uint64_t min_count = 1,
                  std::vector<std::string> special_tokens = {"<|endoftext|>"}) {
  BpeTrainer trainer(size, std::move(special_tokens));
  for (const auto& [bytes, count] : pretokens) trainer.add(bytes, count);
  return trainer.train(min_count);
}

// Few letters, so that pairs overlap, tie and die out.
Pretokens random_pretokens(Dice& dice, int letters) {
  Pretokens pretokens;
  const std::uint64_t words = 1 + dice.below(60);
  for (std::uint64_t w = 0; w < words; ++w) {
    std::string word;
    const std::uint64_t length = 1 + dice.below(12);
    for (std::uint64_t i = 0; i < length; ++i) word += static_cast<char>('a' + dice.below(letters));
    pretokens[word] = 1 + dice.below(5);
  }
  return pretokens;
}

TEST(BpeTraining, LearnsWhatTheDefinitionSays) {
  Dice dice(1);
  for (int i = 0; i < 300; ++i) {
    const Pretokens pretokens = random_pretokens(dice, 1 + i % 4);
    const std::uint64_t min_count = 1 + dice.below(3);

    const BpeTraining training = train(pretokens, 257 + 60, min_count);

    const BpeTraining wanted = naive_train(pretokens, 257 + 60, min_count, {"<|endoftext|>"});
    ASSERT_EQ(training.vocabulary, wanted.vocabulary) << "corpus " << i;
    ASSERT_EQ(training.counts, wanted.counts) << "corpus " << i;
  }
}

TEST(BpeTraining, ReplayedEachMergeHasTheCountThatIsTold) {
  Dice dice(2);
  Pretokens pretokens;
  for (int i = 0; i < 400; ++i) pretokens[odd_text(dice, 1 + dice.below(3))] += 1 + dice.below(100);
  pretokens.erase("");

  const BpeTraining training = train(pretokens, 257 + 200, 2);

  const BpeVocabulary& vocabulary = training.vocabulary;
  ASSERT_EQ(vocabulary.merges.size(), 200u);
  Words words;
  for (const auto& [bytes, count] : pretokens) words.emplace_back(tokens_of_bytes(vocabulary, bytes), count);
  for (std::size_t i = 0; i < vocabulary.merges.size(); ++i) {
    const auto [left, right] = vocabulary.merges[i];
    const auto counts = naive_pair_counts(words);
    ASSERT_EQ(training.counts[i], counts.at({left, right}));
    ASSERT_GE(training.counts[i], 2u);
    for (const auto& [pair, count] : counts) ASSERT_LE(count, training.counts[i]);
    for (auto& [tokens, count] : words) tokens = naive_merge(tokens, vocabulary.merges[i], vocabulary.first_merge() + static_cast<TokenId>(i));
  }
}

TEST(BpeTraining, BreaksTiesByTheSmallestIds) {
  const BpeTraining training = train({{"xy", 3}, {"ab", 3}, {"az", 3}}, 257 + 3);

  EXPECT_THAT(token_bytes(training.vocabulary), testing::Contains("ab"));
  const auto bytes = token_bytes(training.vocabulary);
  EXPECT_EQ(bytes[257], "ab");
  EXPECT_EQ(bytes[258], "az");
  EXPECT_EQ(bytes[259], "xy");
}

TEST(BpeTraining, CountsBeyond32Bits) {
  const std::uint64_t many = std::uint64_t{3} << 31;

  const BpeTraining training = train({{"ab", many}, {"bc", many + 1}, {"abc", std::uint64_t{5} << 40}}, 257 + 3);

  EXPECT_EQ(token_bytes(training.vocabulary)[257], "bc");
  EXPECT_EQ(training.counts[0], (std::uint64_t{5} << 40) + many + 1);
  EXPECT_EQ(token_bytes(training.vocabulary)[258], "abc");
  EXPECT_EQ(training.counts[1], std::uint64_t{5} << 40);
  EXPECT_EQ(training.counts[2], many);
}

TEST(BpeTraining, RefusesCountsThatWouldOverflow) {
  BpeTrainer trainer(300, {"<|endoftext|>"});
  trainer.add("ab", std::uint64_t{1} << 62);

  EXPECT_THROW(trainer.add("abc", std::uint64_t{1} << 61), ContractError);   // 2^62 + 2 x 2^61 = 2^63
  EXPECT_THROW(trainer.add("abc", ~std::uint64_t{0}), ContractError);
}

TEST(BpeTraining, OfALargerVocabularyBeginsWithTheSmaller) {
  Dice dice(3);
  const Pretokens pretokens = random_pretokens(dice, 5);

  const BpeTraining larger = train(pretokens, 257 + 40), smaller = train(pretokens, 257 + 15);

  EXPECT_EQ(prefix_of(larger.vocabulary, 257 + 15), smaller.vocabulary);
}

TEST(BpeTraining, StopsWhenNoPairIsFrequentEnough) {
  const BpeTraining training = train({{"ab", 5}, {"cd", 4}}, 1000, 5);

  EXPECT_EQ(training.vocabulary.merges.size(), 1u);
}

TEST(BpeTraining, GivesTheSameWithNarrowAndWideSymbols) {
  Dice dice(4);
  const Pretokens pretokens = random_pretokens(dice, 6);

  const BpeTraining narrow = train(pretokens, 0x10000), wide = train(pretokens, 0x10001);

  EXPECT_EQ(narrow.vocabulary, wide.vocabulary);
}

TEST(BpeTraining, LeavesNoTokenThatItsBytesDoNotMergeTo) {
  Dice dice(5);
  for (int i = 0; i < 300; ++i) {
    const BpeTraining training = train(random_pretokens(dice, 1 + i % 4), 257 + 100);

    EXPECT_EQ(first_unreachable(training.vocabulary), std::nullopt);
    const auto bytes = token_bytes(training.vocabulary);
    EXPECT_EQ(std::set(bytes.begin(), bytes.end()).size(), bytes.size());
  }
}

TEST(BpeTraining, FindsATokenOfTwoSplits) {
  // "abc" is listed as a + bc, but ab goes first: Hugging Face leaves ab, c; tiktoken, which joins whatever is a token, makes abc.
  BpeVocabulary vocabulary{{"<|endoftext|>"}, {}};
  const TokenId a = tokens_of_bytes(vocabulary, "a")[0], b = a + 1, c = a + 2;
  vocabulary.merges = {{a, b}, {b, c}, {a, vocabulary.first_merge() + 1}};

  EXPECT_EQ(first_unreachable(vocabulary), vocabulary.first_merge() + 2);
  EXPECT_NE(naive_encode(vocabulary, "abc"), naive_tiktoken_encode(vocabulary, "abc"));
}

TEST(BpeTraining, RefusesASizeWithoutRoomForBytes) { EXPECT_THROW(BpeTrainer(256, {"<|endoftext|>"}), UsageError); }

}   // namespace
}   // namespace lastro
