#include "data/sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "data/dataset_fixture.h"

namespace lastro {
namespace {

using namespace test;

TEST(Permutation, IsABijectionOfAnySize) {
  for (const std::int64_t size : {1, 2, 3, 5, 16, 17, 1000, 4097}) {
    const Permutation order(size, 42, 0);
    std::set<std::int64_t> seen;
    for (std::int64_t i = 0; i < size; ++i) seen.insert(order(i));

    EXPECT_EQ(static_cast<std::int64_t>(seen.size()), size);
    EXPECT_EQ(*seen.begin(), 0);
    EXPECT_EQ(*seen.rbegin(), size - 1);
  }
}

TEST(Permutation, HasAnOrderOfItsOwnForEachKey) {
  int equal = 0, neighbours = 0;
  const Permutation a(1000, 42, 0), b(1000, 42, 1), c(1000, 43, 0);
  for (std::int64_t i = 0; i < 1000; ++i) {
    equal += (a(i) == b(i)) + (a(i) == c(i)) + (a(i) == i);
    if (i > 0) neighbours += std::abs(a(i) - a(i - 1)) == 1;
  }
  EXPECT_LT(equal, 20);
  EXPECT_LT(neighbours, 15);
}

// Sums of many places would drift if large and small elements were not mixed evenly.
TEST(Permutation, SpreadsElementsEvenly) {
  const Permutation order(10007, 7, 3);
  double sum = 0;
  for (std::int64_t i = 0; i < 1000; ++i) sum += static_cast<double>(order(i));

  EXPECT_NEAR(sum / 1000 / 10007, 0.5, 0.04);
}

TEST(Mixture, KeepsWeightsInAnyStretch) {
  const Mixture mixture({5, 3, 1.5, 0.5, 0});
  for (const std::int64_t begin : {0, 777, 100000}) {
    std::vector<double> counts(5, 0);
    for (std::int64_t i = begin; i < begin + 4000; ++i) counts[static_cast<std::size_t>(mixture(i).source)] += 1;

    EXPECT_NEAR(counts[0] / 4000, 0.50, 0.005);
    EXPECT_NEAR(counts[1] / 4000, 0.30, 0.005);
    EXPECT_NEAR(counts[2] / 4000, 0.15, 0.005);
    EXPECT_NEAR(counts[3] / 4000, 0.05, 0.005);
    EXPECT_EQ(counts[4], 0);
  }
}

TEST(Mixture, CountsEachSourceFromNoughtWithoutGaps) {
  const Mixture mixture({1, 1e-6, 2.7});
  std::vector<std::int64_t> next(3, 0);
  for (std::int64_t i = 0; i < 3 * Mixture::cycle; ++i) {
    const auto turn = mixture(i);
    ASSERT_EQ(turn.number, next[static_cast<std::size_t>(turn.source)]++) << i;
  }
  EXPECT_EQ(next[1], 3);   // a source with any weight gets a turn
}

TEST(Mixture, RefusesWeightsThatAreAllZero) {
  EXPECT_THAT([] { Mixture({0, 0}); }, testing::ThrowsMessage<ContractError>(testing::EndsWith("). Give a source with text a weight")));
}

struct Sampled {
  explicit Sampled(std::int64_t shard_tokens = 700) {
    std::vector<std::string> first, second;
    for (int i = 0; i < 60; ++i) first.push_back("first " + std::to_string(i * i * 7919) + std::string(static_cast<std::size_t>(i), 'x'));
    for (int i = 0; i < 25; ++i) second.push_back("another text with number " + std::to_string(i * 104729));
    Making how;
    how.settings.shard_tokens = shard_tokens;
    how.settings.held_out = 0;
    auto sources = Sources{bench.rows("first", {first}), bench.rows("second", {second})};
    sources[0].weight = 3;
    folder = bench.make(how, sources);
  }
  // Where every token of a source stands: source token number -> token.
  std::vector<TokenId> tokens_of(int source) const {
    const DatasetLayout layout = read_dataset_layout(folder);
    const TokenShards shards(folder, layout, layout.train[static_cast<std::size_t>(source)]);
    std::vector<TokenId> tokens(static_cast<std::size_t>(shards.tokens()));
    shards.read(0, tokens);
    return tokens;
  }
  DatasetBench bench;
  std::filesystem::path folder;
};

TEST(Sampler, TakesEveryTokenOfASourceOnceAnEpoch) {
  const Sampled data;
  for (const std::int64_t context : {1, 7, 64, 1000}) {
    const Sampler sampler(data.folder, {context, 42, Split::train});
    std::vector<TokenId> tokens(static_cast<std::size_t>(context) + 1);
    for (int source = 0; source < 2; ++source) {
      const auto stream = data.tokens_of(source);
      std::vector<int> epochs(2, 0);
      std::map<std::pair<std::int64_t, std::int64_t>, int> windows;
      std::vector<std::int64_t> targets(stream.size(), 0);
      const std::int64_t wanted = 2 * sampler.windows(source);
      for (std::int64_t sample = 0, taken = 0; taken < wanted; ++sample) {
        const auto place = sampler.place_of(sample);
        if (place.source != source) continue;
        ++taken;
        ++windows[{place.epoch, place.window}];
        sampler.sequence(sample, tokens);
        for (std::int64_t i = 0; i < context; ++i) {
          const std::int64_t at = place.window * context + i;
          if (at >= static_cast<std::int64_t>(stream.size())) {
            ASSERT_EQ(tokens[static_cast<std::size_t>(i) + 1], 0u);   // filled up with ends of documents
            continue;
          }
          ++targets[static_cast<std::size_t>(at)];
          ASSERT_EQ(tokens[static_cast<std::size_t>(i) + 1], stream[static_cast<std::size_t>(at)]);
          ASSERT_EQ(tokens[static_cast<std::size_t>(i)], at == 0 ? 0u : stream[static_cast<std::size_t>(at) - 1]);
        }
      }
      for (const std::int64_t times : targets) ASSERT_EQ(times, 2);
      for (const auto& [window, times] : windows) ASSERT_EQ(times, 1);
    }
  }
}

TEST(Sampler, MixesSourcesByWeight) {
  const Sampled data;
  const Sampler sampler(data.folder, {16, 42, Split::train});
  std::int64_t first = 0;
  for (std::int64_t sample = 500; sample < 2500; ++sample) first += sampler.place_of(sample).source == 0;

  EXPECT_NEAR(static_cast<double>(first) / 2000, 0.75, 0.0075);
}

TEST(Sampler, OrdersEpochsAnew) {
  const Sampled data;
  const Sampler sampler(data.folder, {16, 42, Split::train});
  std::vector<std::vector<std::int64_t>> orders(2);
  for (std::int64_t sample = 0; orders[1].size() < static_cast<std::size_t>(sampler.windows(0)); ++sample)
    if (const auto place = sampler.place_of(sample); place.source == 0) orders[static_cast<std::size_t>(place.epoch)].push_back(place.window);

  EXPECT_EQ(orders[0].size(), orders[1].size());
  EXPECT_NE(orders[0], orders[1]);
}

TEST(Sampler, GivesTheSameAnywhereAndAfterAnySeek) {
  const Sampled small_shards(100), large_shards(100000);
  const Sampler a(small_shards.folder, {32, 42, Split::train}), b(large_shards.folder, {32, 42, Split::train});
  std::vector<TokenId> first(33), second(33);
  for (const std::int64_t sample : {0L, 5L, 123456789L, 3L, 1L << 40}) {
    a.sequence(sample, first);
    b.sequence(sample, second);
    EXPECT_EQ(first, second) << sample;
  }
}

TEST(Sampler, HasAFingerprintOfDataSeedAndContext) {
  const Sampled data, other(300);
  const Digest fingerprint = Sampler(data.folder, {32, 42, Split::train}).fingerprint();

  EXPECT_EQ(Sampler(data.folder, {32, 42, Split::train}).fingerprint(), fingerprint);
  EXPECT_NE(Sampler(data.folder, {32, 43, Split::train}).fingerprint(), fingerprint);
  EXPECT_NE(Sampler(data.folder, {33, 42, Split::train}).fingerprint(), fingerprint);
  EXPECT_NE(Sampler(other.folder, {32, 42, Split::train}).fingerprint(), fingerprint);
}

TEST(Sampler, RefusesASplitWithoutTokens) {
  const Sampled data;
  EXPECT_THROW(Sampler(data.folder, {16, 42, Split::held_out}), ContractError);
}

TEST(TokenShards, SayThatAShardIsDamaged) {
  const Sampled data;
  const std::filesystem::path shard = data.folder / "train" / "second-00000.tokens";
  std::filesystem::resize_file(shard, std::filesystem::file_size(shard) - 2);

  EXPECT_THROW(Sampler(data.folder, {16, 42, Split::train}), ContractError);
}

TEST(DatasetLayout, RefusesWhatIsNoLayout) {
  const Sampled data;
  const std::string text = read_file(data.folder / "dataset.json");
  for (const std::string& damaged :
       {text.substr(0, text.size() / 2), std::string("{}"), std::string(text).replace(text.find("\"format\": 1"), 11, "\"format\": 2"),
        std::string(text).replace(text.find("\"token_bytes\": 2"), 16, "\"token_bytes\": 4294967298"),   // 2 in 32 bits
        std::string(text).replace(text.find("\"tokens\": ", text.find("\"shards\": [")), 10, "\"tokens\": 900000000000000"),
        std::string(text).replace(text.find("\"tokens_sha256\": \""), 20, "\"tokens_sha256\": \"x")}) {
    write_file(data.folder / "dataset.json", damaged);
    EXPECT_THROW(read_dataset_layout(data.folder), ContractError);
  }
  std::filesystem::remove(data.folder / "dataset.json");
  EXPECT_THAT([&] { read_dataset_layout(data.folder); },
              testing::ThrowsMessage<ContractError>(testing::EndsWith("). Name a dataset, or run its stage again")));
}

}   // namespace
}   // namespace lastro
