#include "data/minhash.h"

#include <algorithm>
#include <limits>

#include "core/random.h"
#include "data/hash64.h"

namespace lastro {
namespace {

constexpr int permutations = bands * rows_per_band;

// h(x) = upper half of (a x + b), a odd: a universal family on 64-bit words (Dietzfelbinger, "Universal hashing and k-wise independent
// random variables via integer arithmetic without primes", 1996). The same for every run: what is a duplicate does not hang on a seed.
struct Family {
  std::array<std::uint64_t, permutations> factors;
  std::array<std::uint64_t, permutations> summands;
};
constexpr Family make_family() {
  Family family{};
  for (int i = 0; i < permutations; ++i) {
    family.factors[i] = random_u64(0, Purpose::minhash, i, 0) | 1;
    family.summands[i] = random_u64(0, Purpose::minhash, i, 1);
  }
  return family;
}
constexpr Family family = make_family();

std::uint64_t hash_of_run(std::span<const std::uint64_t> words) {
  std::uint64_t hash = words.size();
  for (const std::uint64_t word : words) hash = mix64(hash * 0x9E3779B97F4A7C15u + word);
  return hash;
}

}   // namespace

void shingles_of(std::span<const std::uint64_t> word_hashes, std::vector<std::uint64_t>& shingles) {
  shingles.clear();
  if (word_hashes.empty()) return;
  const std::size_t length = std::min<std::size_t>(shingle_words, word_hashes.size());
  for (std::size_t i = 0; i + length <= word_hashes.size(); ++i) shingles.push_back(hash_of_run(word_hashes.subspan(i, length)));
  std::sort(shingles.begin(), shingles.end());
  shingles.erase(std::unique(shingles.begin(), shingles.end()), shingles.end());
}

std::array<std::uint64_t, bands> band_hashes(std::span<const std::uint64_t> shingles) {
  std::array<std::uint32_t, permutations> smallest;
  smallest.fill(std::numeric_limits<std::uint32_t>::max());
  for (const std::uint64_t shingle : shingles)
    for (int i = 0; i < permutations; ++i)
      smallest[i] = std::min(smallest[i], static_cast<std::uint32_t>((family.factors[i] * shingle + family.summands[i]) >> 32));
  std::array<std::uint64_t, bands> hashes;
  for (int band = 0; band < bands; ++band) {
    hashes[band] = mix64(static_cast<std::uint64_t>(band) + 1);
    for (int row = 0; row < rows_per_band; ++row) hashes[band] = mix64(hashes[band] * 0x9E3779B97F4A7C15u + smallest[band * rows_per_band + row]);
  }
  return hashes;
}

Overlap overlap_of(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) {
  std::int64_t common = 0;
  auto i = a.begin();
  auto j = b.begin();
  while (i != a.end() && j != b.end()) {
    if (*i < *j) {
      ++i;
    } else if (*j < *i) {
      ++j;
    } else {
      ++common;
      ++i;
      ++j;
    }
  }
  return {common, static_cast<std::int64_t>(a.size() + b.size()) - common};
}

}   // namespace lastro
