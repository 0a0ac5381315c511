#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/collective.h"

namespace lastro {

// How much of the evaluation sets stands in the training text, measured from a finished dataset alone: shards are decoded back to text and
// both sides are read as streams of normalised words (data/words.h). An item is contaminated when one of its runs of 13 words stands in a
// training document; a shorter item, when the whole of it does (data/ngram_index.h has the rule).
struct Contamination {
  struct Set {
    std::string source;
    std::int64_t items = 0;
    std::int64_t contaminated = 0;
    std::vector<std::int64_t> first_items;   // numbers of the first few contaminated items
  };
  std::vector<Set> sets;
  std::int64_t items() const;
  std::int64_t contaminated() const;
  double share() const;   // 0 when there are no items
};

// Every rank calls it and gets the same answer; each reads its part of the training shards. Items: the dataset's evaluation split; the
// held-out split where the dataset was made without evaluation sources is none of it. Keeps under `memory_limit_bytes`.
// Where `is_asked_to_stop` it ends early, and what is returned is worth nothing.
Contamination measure_contamination(const std::filesystem::path& dataset_folder, Collective& ranks, std::int64_t memory_limit_bytes,
                                    const std::function<bool()>& is_asked_to_stop = {});

}   // namespace lastro
