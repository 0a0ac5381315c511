#include <gtest/gtest.h>

#include "sample_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace lastro {
namespace {

TEST(TokenizerFuzz, HoldsOnASeededCorpus) {
  Dice dice(7);
  for (int i = 0; i < 300; ++i) {
    const std::string text = odd_text(dice, dice.below(120));

    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  }
}

}   // namespace
}   // namespace lastro
