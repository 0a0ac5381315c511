#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>

#include "data/dataset_layout.h"
#include "text/tokenizer.h"

namespace lastro {

// What others make of the same held-out text: measured, never part of a digest.
struct Yardsticks {
  std::optional<double> xz_bits_per_byte;      // (|xz(train + held)| - |xz(train)|) x 8 / |held|, by xz -9 -T1
  std::optional<double> ngram_bits_per_byte;   // of a 5-gram model of tokens
};

struct YardstickLimits {
  std::int64_t xz_bytes = 0;       // training text that xz sees at most, its last part; 0: not measured
  std::int64_t ngram_tokens = 0;   // training tokens at most, the last ones; 0: not measured
  std::int64_t held_out_tokens = 0;
};

// Where `is_asked_to_stop` it ends early, and what is returned is worth nothing.
Yardsticks measure_yardsticks(const std::filesystem::path& dataset_folder, const DatasetLayout& layout, const BpeTokenizer& tokenizer,
                              const YardstickLimits& limits, const std::function<bool()>& is_asked_to_stop);

}   // namespace lastro
