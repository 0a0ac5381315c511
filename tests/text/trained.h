#pragma once

#include "sample_text.h"
#include "text/bpe_training.h"
#include "text/pretokenizer.h"
#include "text/tokenizer.h"

#include <map>

namespace lastro {

// A small tokenizer that knows some of odd_text by heart.
inline BpeVocabulary trained_vocabulary(std::size_t size = 420) {
  Dice dice(99);
  std::map<std::string, std::uint64_t> counts;
  for (int i = 0; i < 300; ++i) for_each_pretoken(odd_text(dice, 30), [&](std::string_view pretoken) { ++counts[std::string(pretoken)]; });
  BpeTrainer trainer(size, standard_special_tokens());
  for (const auto& [bytes, count] : counts) trainer.add(bytes, count);
  return trainer.train(1).vocabulary;
}

}   // namespace lastro
