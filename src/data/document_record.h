#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "domain/digest.h"

namespace lastro {

// A document's name within a stage's sources; their order is the corpus's.
struct DocumentId {
  std::uint32_t source = 0;   // text sources first, in the order of the manifest, then evaluation sources
  std::uint32_t unused = 0;
  std::uint64_t document = 0;   // DocumentPiece::document
  auto operator<=>(const DocumentId&) const = default;
};

// A clean document and where its text lies: at `offset` of the texts of rank `home`.
struct DocumentRecord {
  DocumentId id;
  Digest digest;   // of its clean text
  std::uint64_t offset = 0;
  std::uint32_t bytes = 0;
  std::uint32_t home = 0;
};

enum class Rule : std::uint32_t { too_short, exact_duplicate, contaminated, near_duplicate };
inline constexpr int rules = 4;

// Why a document went, or was reported.
struct Removal {
  DocumentId id;
  DocumentId of;   // duplicates: the document that stays; contaminated: the evaluation item
  Digest digest;   // of its clean text
  Rule rule = Rule::too_short;
  std::uint32_t is_reported = 0;   // 1: it stays in the dataset
  std::uint32_t home = 0;
  std::uint32_t common = 0;   // near-duplicates: shingles in common, and in all
  std::uint32_t all = 0;
  std::uint32_t unused = 0;
  // A document has one entry a rule at most; the first of several is the one that counts.
  bool operator<(const Removal& other) const {
    if (id != other.id) return id < other.id;
    if (rule != other.rule) return rule < other.rule;
    return of < other.of;
  }
};

static_assert(std::is_trivially_copyable_v<DocumentRecord> && std::is_trivially_copyable_v<Removal>);

// The first eight bytes of a digest as a number.
inline std::uint64_t head_of(const Digest& digest) {
  std::uint64_t head = 0;
  for (int i = 0; i < 8; ++i) head = head << 8 | digest.bytes[i];
  return head;
}

}   // namespace lastro
