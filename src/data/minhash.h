#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace lastro {

// Near-duplicates by MinHash (Broder, "On the resemblance and containment of documents", 1997): a document is the set of its shingles,
// runs of `shingle_words` words (one shingle of all its words when it has fewer). Two documents are candidates when all rows of a band of
// their signatures agree; with Jaccard similarity s that happens with probability 1 - (1 - s^8)^16: 0.95 at 0.8, 0.23 at 0.6.
inline constexpr int shingle_words = 5;
inline constexpr int bands = 16;
inline constexpr int rows_per_band = 8;

// The document's shingles as sorted, distinct hashes; empty when it has no words.
void shingles_of(std::span<const std::uint64_t> word_hashes, std::vector<std::uint64_t>& shingles);

// One value a band: documents that agree in one are candidates. A band's number is part of its value.
// Requires: `shingles` is not empty.
std::array<std::uint64_t, bands> band_hashes(std::span<const std::uint64_t> shingles);

// |a and b| / |a or b| of two sorted sets.
struct Overlap {
  std::int64_t common;
  std::int64_t all;
  bool reaches(double similarity) const { return static_cast<double>(common) >= similarity * static_cast<double>(all); }
};
Overlap overlap_of(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b);

}   // namespace lastro
