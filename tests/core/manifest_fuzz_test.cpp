#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "core/manifest.h"
#include "core/random.h"
#include "tests/core/manifest_examples.h"
#include "tests/core/toy_stages.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace lastro {
namespace {

void feed(const std::string& text) { LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()); }

// A manifest with a few places cut, doubled, swapped or overwritten by what means something to YAML.
std::string mutated(std::uint64_t seed) {
  const std::string_view tokens[] = {":",
                                     ": ",
                                     "- ",
                                     "\n",
                                     "\n  ",
                                     "{",
                                     "}",
                                     "[",
                                     "]",
                                     ",",
                                     "'",
                                     "\"",
                                     "|",
                                     ">",
                                     "&a ",
                                     "*a",
                                     "!",
                                     "#",
                                     "? ",
                                     "---\n",
                                     "\t",
                                     "~",
                                     "null",
                                     "-1",
                                     "1e99",
                                     "0x",
                                     ".inf",
                                     "<<: ",
                                     "\\",
                                     "\xFF",
                                     std::string_view("\0", 1),
                                     "é",
                                     "sha256:",
                                     "04_pretrain",
                                     "prose",
                                     "kind",
                                     "%",
                                     "@"};
  std::string text = good_manifest;
  std::uint64_t drawn = 0;
  const auto draw = [&](std::uint64_t below) { return random_u64(seed, Purpose::test, drawn++) % below; };
  for (std::uint64_t left = 1 + draw(4); left > 0 && !text.empty(); --left) {
    const std::size_t at = draw(text.size()), length = draw(30);
    switch (draw(5)) {
      case 0: text.erase(at, length); break;
      case 1: text.insert(at, text.substr(draw(text.size()), length)); break;
      case 2: text.replace(at, 1, tokens[draw(std::size(tokens))]); break;
      case 3: text.insert(at, tokens[draw(std::size(tokens))]); break;
      default: text[at] = static_cast<char>(draw(256)); break;
    }
  }
  return text;
}

TEST(ManifestFuzz, TakesMutationsOfAGoodManifest) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    feed(mutated(seed));
  }
}

TEST(ManifestFuzz, TakesEveryBeginningOfAGoodManifest) {
  for (std::size_t length = 0; length <= good_manifest.size(); length += 3) feed(good_manifest.substr(0, length));
  feed(good_manifest);
}

}   // namespace
}   // namespace lastro
