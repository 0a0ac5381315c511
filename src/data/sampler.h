#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/sequences.h"
#include "data/dataset_layout.h"
#include "data/token_shards.h"

namespace lastro {

// A keyed bijection of [0, size): eight rounds of a Feistel network over the next even number of bits, walking cycles until inside.
// Two keys give unrelated orders; an element costs the same anywhere.
class Permutation {
 public:
  Permutation(std::int64_t size, std::uint64_t seed, std::uint64_t stream);   // size >= 1
  std::int64_t operator()(std::int64_t index) const;                          // 0 <= index < size

 private:
  std::uint64_t once(std::uint64_t value) const;

  std::uint64_t size_;
  std::uint64_t seed_;
  std::uint64_t stream_;
  int half_bits_;
};

// Which source a sample comes from, and the how-manieth of that source it is. Sources take turns in a fixed cycle, as evenly as their
// weights allow, so any stretch of samples has the mixture; a source's share of a cycle is exact to 1 in 16,384.
class Mixture {
 public:
  explicit Mixture(const std::vector<double>& weights);   // at least one, each >= 0, one above 0
  struct Turn {
    int source;
    std::int64_t number;
  };
  Turn operator()(std::int64_t sample) const;
  static constexpr std::int64_t cycle = 16384;

 private:
  std::vector<Turn> turns_;            // of one cycle
  std::vector<std::int64_t> quotas_;   // turns of each source in a cycle
};

// Training sequences out of a dataset. A source is cut into windows of `context` targets: window w has the tokens [w * context,
// (w + 1) * context) as targets, and one token more before them; before the first token and behind the last stands the end-of-document
// token. So every token of a source is a target exactly once in an epoch of that source; each epoch has an order of its own.
class Sampler final : public Sequences {
 public:
  struct Settings {
    std::int64_t context = 0;   // tokens of a sequence
    std::uint64_t seed = 0;
    Split split = Split::train;
  };
  // Throws ContractError when the split has no tokens.
  Sampler(const std::filesystem::path& dataset_folder, const Settings& settings);

  void sequence(std::int64_t sample, std::span<TokenId> tokens) const override;
  Digest fingerprint() const override { return fingerprint_; }

  const DatasetLayout& layout() const { return layout_; }
  std::int64_t windows(int source) const;   // of one epoch
  struct Place {
    int source;
    std::int64_t epoch;
    std::int64_t window;
  };
  Place place_of(std::int64_t sample) const;

 private:
  Settings settings_;
  DatasetLayout layout_;
  std::vector<TokenShards> sources_;
  Mixture mixture_;
  Digest fingerprint_;
};

}   // namespace lastro
