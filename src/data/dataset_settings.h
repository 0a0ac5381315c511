#pragma once

#include <array>
#include <cstdint>
#include <tuple>

#include "core/settings.h"

namespace lastro {

// What happens to a training document that holds an evaluation item.
enum class Decontaminate { remove, report };
constexpr auto enum_names(Decontaminate) {
  return std::array{EnumName<Decontaminate>{Decontaminate::remove, "remove"}, EnumName<Decontaminate>{Decontaminate::report, "report"}};
}

struct DedupSettings {
  bool exact = true;
  bool near = true;
  double similarity = 0.8;
  bool operator==(const DedupSettings&) const = default;
  static constexpr std::tuple fields{
      field("exact", &DedupSettings::exact, {.doc = "of documents with the same clean text, keep the first"}),
      field("near", &DedupSettings::near,
            {.doc = "of documents that share most of their 5-word shingles, keep the first (MinHash, 16 bands of 8; candidates are verified)"}),
      field("similarity", &DedupSettings::similarity,
            {.doc = "Jaccard similarity of shingles from which a document is a near-duplicate", .min = 0.5, .max = 1.0})};
};

struct DatasetSettings {
  double held_out = 0.02;
  DedupSettings dedup;
  Decontaminate decontaminate = Decontaminate::remove;
  std::int64_t min_document_bytes = 16;
  double malformed = 0.01;
  std::int64_t shard_tokens = 16777216;
  bool operator==(const DatasetSettings&) const = default;
  static constexpr std::tuple fields{
      field("held_out", &DatasetSettings::held_out,
            {.doc = "share of the documents kept from training, drawn by a hash of each", .min = 0.0, .max = 0.5}),
      field("dedup", &DatasetSettings::dedup, {.doc = "which duplicates go"}),
      field("decontaminate", &DatasetSettings::decontaminate,
            {.doc = "training documents that hold an item of an evaluation source: remove them, or report them alone"}),
      field("min_document_bytes", &DatasetSettings::min_document_bytes, {.doc = "shorter documents go", .unit = "bytes", .min = 1, .max = 1048576}),
      field("malformed", &DatasetSettings::malformed,
            {.doc = "share of a source's rows that may be malformed (ten may in any case); more stop the stage", .min = 0.0, .max = 1.0}),
      field("shard_tokens", &DatasetSettings::shard_tokens,
            {.doc = "a shard ends with the document that brings it to so many tokens", .unit = "tokens", .min = 1})};
};

}   // namespace lastro
