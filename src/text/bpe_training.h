#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "text/bpe_vocabulary.h"

namespace lastro {

struct BpeTraining {
  BpeVocabulary vocabulary;
  std::vector<std::uint64_t> counts;   // how often merge i's pair stood side by side when it was merged
};

// Learns merges from counted pre-tokens: again and again the most frequent pair of neighbours becomes a token; of equally frequent pairs the one
// with the smallest (left id, right id). This is what Hugging Face's and OpenAI's trainers do. The order in which pre-tokens are added is
// without effect. A vocabulary's prefix is what training to the smaller size gives.
class BpeTrainer {
 public:
  // `size` counts special tokens and bytes. Throws UsageError when it leaves no room for them.
  BpeTrainer(std::size_t size, std::vector<std::string> special_tokens);
  ~BpeTrainer();

  // Requires: each pre-token is added once. Throws ContractError when the counts could overflow 63 bits in the training.
  void add(std::string_view pretoken, std::uint64_t count);

  // What `train` will take, from what was added; it is at its largest before the first merge.
  std::int64_t memory_bytes() const;

  // Stops at `size`, or when no pair occurs `min_count` times. Consumes what was added. `progress(merges done)` is called now and then.
  BpeTraining train(std::uint64_t min_count, const std::function<void(std::int64_t)>& progress = {});

 private:
  struct Added;

  std::size_t size_;
  std::vector<std::string> special_tokens_;
  std::unique_ptr<Added> added_;
};

}   // namespace lastro
