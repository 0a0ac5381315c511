#include "data/minhash.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "data/words.h"

namespace lastro {
namespace {

using Words = std::vector<std::uint64_t>;
using Shingles = std::vector<std::uint64_t>;

Shingles shingles(const Words& words) {
  Shingles result;
  shingles_of(words, result);
  return result;
}

Shingles shingles(std::string_view text) {
  Words words;
  hash_words(text, words);
  return shingles(words);
}

bool are_candidates(const Shingles& a, const Shingles& b) {
  const auto first = band_hashes(a), second = band_hashes(b);
  for (int band = 0; band < bands; ++band)
    if (first[band] == second[band]) return true;
  return false;
}

// Two sets with `common` elements in both and `own` in each alone.
std::pair<Shingles, Shingles> planted_pair(std::mt19937_64& random, int common, int own) {
  Shingles a, b;
  for (int i = 0; i < common; ++i) a.push_back(random());
  b = a;
  for (int i = 0; i < own; ++i) a.push_back(random()), b.push_back(random());
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  return {a, b};
}

TEST(Shingles, AreTheRunsOfFiveWords) {
  EXPECT_EQ(shingles("a b c d e f g").size(), 3u);
  EXPECT_EQ(overlap_of(shingles("a b c d e f g"), shingles("x b c d e f g")).common, 2);
  EXPECT_EQ(shingles("a b a b a b a b").size(), 2u);   // a set
}

TEST(Shingles, OfAShortTextAreTheTextAsAWhole) {
  EXPECT_EQ(shingles("one two"), shingles("One, two!"));
  EXPECT_NE(shingles("one two"), shingles("one two three"));
  EXPECT_TRUE(shingles("...").empty());
}

TEST(Overlap, CountsCommonAndAll) {
  const Overlap overlap = overlap_of(Shingles{1, 2, 3, 4, 5, 6, 7, 8, 9}, Shingles{2, 3, 4, 5, 6, 7, 8, 9, 10});

  EXPECT_EQ(overlap.common, 8);
  EXPECT_EQ(overlap.all, 10);
  EXPECT_TRUE(overlap.reaches(0.8));
  EXPECT_FALSE(overlap.reaches(0.81));
}

// P(candidate) = 1 - (1 - s^8)^16. The share found among planted pairs is within four standard deviations of it.
TEST(MinHash, FindsPlantedPairsAsOftenAsTheoryHasIt) {
  std::mt19937_64 random(3);
  for (const auto& [common, own] : {std::pair{180, 10}, {160, 20}, {120, 40}, {80, 60}}) {
    const double similarity = static_cast<double>(common) / (common + 2 * own);
    const double expected = 1 - std::pow(1 - std::pow(similarity, 8), 16);
    const int pairs = 800;
    int found = 0;
    for (int i = 0; i < pairs; ++i) {
      const auto [a, b] = planted_pair(random, common, own);
      found += are_candidates(a, b);
    }
    const double recall = static_cast<double>(found) / pairs;
    RecordProperty("recall_at_" + std::to_string(static_cast<int>(similarity * 100)), std::to_string(recall));
    EXPECT_NEAR(recall, expected, 4 * std::sqrt(expected * (1 - expected) / pairs) + 0.005) << "similarity " << similarity;
  }
}

TEST(MinHash, IsTheSameForEqualSetsAndApartForOthers) {
  std::mt19937_64 random(5);
  const auto [a, b] = planted_pair(random, 0, 100);

  EXPECT_TRUE(are_candidates(a, a));
  EXPECT_FALSE(are_candidates(a, b));
}

}   // namespace
}   // namespace lastro
