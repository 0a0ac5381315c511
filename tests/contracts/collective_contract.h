#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <ostream>
#include <vector>

#include "core/collective.h"
#include "core/random.h"

// What every adapter of Collective promises. Each case runs on all ranks together, on any number of them.
namespace lastro::contract {

struct CollectiveCase {
  const char* name;
  void (*check)(Collective&);
};
inline std::ostream& operator<<(std::ostream& out, const CollectiveCase& one) { return out << one.name; }

using Lengths = std::vector<std::int64_t>;

inline std::int64_t sum(const Lengths& lengths) { return std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0}); }

// Lengths that differ by rank, some of them 0.
inline Lengths uneven(int ranks, std::int64_t about) {
  Lengths lengths;
  for (int r = 0; r < ranks; ++r) lengths.push_back(r % 3 == 1 ? 0 : about + 7 * r);
  return lengths;
}

// A finite number that every float sum rounds; among them -0.0 and denormals.
inline float value_of(int rank, std::int64_t i) {
  if (i % 11 == 3) return -0.0f;
  if (i % 11 == 5) return std::numeric_limits<float>::denorm_min() * static_cast<float>(1 + rank + i % 5);
  const std::uint64_t bits = random_u64(1, Purpose::test, static_cast<std::uint64_t>(rank), static_cast<std::uint64_t>(i));
  return std::ldexp(static_cast<float>(static_cast<std::int32_t>(bits)) * 0x1p-31f, static_cast<int>(bits >> 60));
}

inline std::vector<float> vector_of(int rank, std::int64_t count) {
  std::vector<float> values(count);
  for (std::int64_t i = 0; i < count; ++i) values[i] = value_of(rank, i);
  return values;
}

inline bool equal_bits(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

inline void barrier_returns(Collective& ranks) {
  for (int i = 0; i < 3; ++i) ranks.barrier();
}

inline void broadcast_gives_the_roots_bytes(Collective& ranks) {
  for (const std::int64_t count : {0, 1, 4097, 5'000'003}) {
    for (int root = 0; root < ranks.size(); root += 2) {
      std::vector<std::byte> bytes(count, static_cast<std::byte>(ranks.rank().value + 1));

      ranks.broadcast(bytes, Rank{root});

      EXPECT_EQ(bytes, std::vector<std::byte>(count, static_cast<std::byte>(root + 1)));
    }
  }
}

inline void all_gather_joins_uneven_parts_in_rank_order(Collective& ranks) {
  for (const std::int64_t about : {0, 3, 4'300'003}) {
    const Lengths lengths = uneven(ranks.size(), about);
    const std::vector<char> mine(lengths[ranks.rank().value], static_cast<char>('a' + ranks.rank().value));
    std::vector<char> whole(sum(lengths), '?');

    ranks.all_gather(std::as_bytes(std::span(mine)), lengths, std::as_writable_bytes(std::span(whole)));

    std::vector<char> wanted;
    for (int r = 0; r < ranks.size(); ++r) wanted.insert(wanted.end(), lengths[r], static_cast<char>('a' + r));
    EXPECT_EQ(whole, wanted);
  }
}

inline void all_gather_takes_ones_own_place_as_source(Collective& ranks) {
  const Lengths lengths = uneven(ranks.size(), 1001);
  std::vector<std::byte> whole(sum(lengths), std::byte{99});
  const std::int64_t begin = std::accumulate(lengths.begin(), lengths.begin() + ranks.rank().value, std::int64_t{0});
  const auto mine = std::span(whole).subspan(begin, lengths[ranks.rank().value]);
  for (std::byte& byte : mine) byte = static_cast<std::byte>(ranks.rank().value);

  ranks.all_gather(mine, lengths, whole);

  std::vector<std::byte> wanted;
  for (int r = 0; r < ranks.size(); ++r) wanted.insert(wanted.end(), lengths[r], static_cast<std::byte>(r));
  EXPECT_EQ(whole, wanted);
}

// The sum that fold_scatter stands for, made by one rank alone.
inline std::vector<float> folded(const std::vector<float>* before, int contributors, std::int64_t begin, std::int64_t count) {
  std::vector<float> sum = before ? *before : std::vector<float>(count);
  for (std::int64_t i = 0; i < count; ++i)
    for (int r = 0; r < contributors; ++r) sum[i] = r == 0 && !before ? value_of(r, begin + i) : sum[i] + value_of(r, begin + i);
  return sum;
}

inline void expect_fold(Collective& ranks, const Lengths& lengths, int contributors) {
  const int rank = ranks.rank().value;
  const std::int64_t begin = std::accumulate(lengths.begin(), lengths.begin() + rank, std::int64_t{0});
  const std::int64_t total = sum(lengths);
  const std::vector<float> mine = rank < contributors ? vector_of(rank, total) : std::vector<float>();
  std::vector<float> accumulator(lengths[rank], std::numeric_limits<float>::quiet_NaN());

  ranks.fold_scatter(mine, lengths, contributors, Collective::Fold::start, accumulator);
  const std::vector<float> first = accumulator;
  ranks.fold_scatter(mine, lengths, contributors, Collective::Fold::carry, accumulator);

  const std::vector<float> wanted_first = folded(nullptr, contributors, begin, lengths[rank]);
  EXPECT_TRUE(equal_bits(first, wanted_first)) << "start, " << contributors << " contributors, " << total << " floats";
  EXPECT_TRUE(equal_bits(accumulator, folded(&wanted_first, contributors, begin, lengths[rank])))
      << "carry, " << contributors << " contributors, " << total << " floats";
}

inline void fold_scatter_adds_in_rank_order(Collective& ranks) {
  for (const std::int64_t about : {1, 17, 1000, 70'001})
    for (int contributors = 1; contributors <= ranks.size(); ++contributors) expect_fold(ranks, uneven(ranks.size(), about), contributors);
}

inline void fold_scatter_adds_in_rank_order_over_many_pieces(Collective& ranks) {
  Lengths lengths(ranks.size(), ranks.size() == 2 ? 2'200'001 : 1'500'001);
  lengths.back() = 3;
  expect_fold(ranks, lengths, ranks.size());
}

inline void fold_scatter_takes_vectors_without_elements(Collective& ranks) { expect_fold(ranks, Lengths(ranks.size(), 0), ranks.size()); }

inline void fold_scatter_without_contributors_changes_nothing(Collective& ranks) {
  std::vector<float> accumulator(5, 1.5f);

  ranks.fold_scatter({}, Lengths(ranks.size(), 5), 0, Collective::Fold::start, accumulator);

  EXPECT_EQ(accumulator, std::vector<float>(5, 1.5f));
}

inline void fold_scatter_starts_at_the_bits_of_rank_0(Collective& ranks) {
  const std::vector<float> bits{-0.0f, std::numeric_limits<float>::denorm_min(), std::numeric_limits<float>::infinity()};
  Lengths lengths(ranks.size(), 3);
  std::vector<float> mine;
  for (int r = 0; ranks.is_root() && r < ranks.size(); ++r) mine.insert(mine.end(), bits.begin(), bits.end());
  std::vector<float> accumulator(3);

  ranks.fold_scatter(mine, lengths, 1, Collective::Fold::start, accumulator);

  EXPECT_TRUE(equal_bits(accumulator, bits));
}

inline void integers_combine_exactly(Collective& ranks) {
  const std::int64_t rank = ranks.rank().value, size = ranks.size();
  std::vector<std::int64_t> greatest{rank, -rank, (std::int64_t{1} << 62) + rank};
  std::vector<std::int64_t> sums{rank, 1, std::int64_t{1} << 40};
  std::vector<std::int64_t> many(600'001, rank + 1);

  ranks.all_max(greatest);
  ranks.all_sum(sums);
  ranks.all_sum(many);
  ranks.all_sum({});

  EXPECT_EQ(greatest, (std::vector<std::int64_t>{size - 1, 0, (std::int64_t{1} << 62) + size - 1}));
  EXPECT_EQ(sums, (std::vector<std::int64_t>{size * (size - 1) / 2, size, size << 40}));
  EXPECT_EQ(many, std::vector<std::int64_t>(600'001, size * (size + 1) / 2));
}

inline void split_makes_ranks_of_equal_color_a_collective(Collective& ranks) {
  const int color = ranks.rank().value % 2;
  const auto part = ranks.split(color);

  EXPECT_EQ(part->size(), (ranks.size() + 1 - color) / 2);
  EXPECT_EQ(part->rank().value, ranks.rank().value / 2);
  std::int64_t members[1] = {ranks.rank().value};
  part->all_sum(members);
  std::int64_t wanted = 0;
  for (int r = color; r < ranks.size(); r += 2) wanted += r;
  EXPECT_EQ(members[0], wanted);
}

inline void split_does_not_hear_its_parent(Collective& ranks) {
  const auto all = ranks.split(0);
  std::int64_t one[1] = {1}, two[1] = {2};

  ranks.all_sum(one);
  all->all_sum(two);
  ranks.barrier();

  EXPECT_EQ(one[0], ranks.size());
  EXPECT_EQ(two[0], 2 * ranks.size());
}

inline void texts_travel(Collective& ranks) {
  const std::string mine(ranks.rank().value * 3, static_cast<char>('a' + ranks.rank().value));

  const auto texts = all_gather_text(ranks, mine);
  const std::string last = broadcast_text(ranks, mine, Rank{ranks.size() - 1});

  ASSERT_EQ(static_cast<int>(texts.size()), ranks.size());
  EXPECT_EQ(texts[ranks.rank().value], mine);
  EXPECT_EQ(texts.back(), last);
  EXPECT_EQ(texts.front(), "");
}

inline constexpr CollectiveCase collective_cases[] = {
    {"BarrierReturns", barrier_returns},
    {"BroadcastGivesTheRootsBytes", broadcast_gives_the_roots_bytes},
    {"AllGatherJoinsUnevenPartsInRankOrder", all_gather_joins_uneven_parts_in_rank_order},
    {"AllGatherTakesOnesOwnPlaceAsSource", all_gather_takes_ones_own_place_as_source},
    {"FoldScatterAddsInRankOrder", fold_scatter_adds_in_rank_order},
    {"FoldScatterAddsInRankOrderOverManyPieces", fold_scatter_adds_in_rank_order_over_many_pieces},
    {"FoldScatterTakesVectorsWithoutElements", fold_scatter_takes_vectors_without_elements},
    {"FoldScatterWithoutContributorsChangesNothing", fold_scatter_without_contributors_changes_nothing},
    {"FoldScatterStartsAtTheBitsOfRank0", fold_scatter_starts_at_the_bits_of_rank_0},
    {"IntegersCombineExactly", integers_combine_exactly},
    {"SplitMakesRanksOfEqualColorACollective", split_makes_ranks_of_equal_color_a_collective},
    {"SplitDoesNotHearItsParent", split_does_not_hear_its_parent},
    {"TextsTravel", texts_travel},
};

}   // namespace lastro::contract
