#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/random.h"

namespace lastro {

// A seeded sequence of numbers for tests.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : seed_(seed) {}
  std::uint64_t below(std::uint64_t bound) { return random_u64(seed_, Purpose::test, next_++) % bound; }

 private:
  std::uint64_t seed_;
  std::uint64_t next_ = 0;
};

// Text of what makes tokenisers stumble: words, contractions, digits, spaces of all kinds, line ends, signs, other scripts, broken UTF-8, NUL.
inline std::string odd_text(Dice& dice, std::size_t pieces) {
  using namespace std::string_view_literals;
  static constexpr std::array parts{"the"sv,
                                    " the"sv,
                                    "hello"sv,
                                    " World"sv,
                                    "'s"sv,
                                    "'LL"sv,
                                    "'ve"sv,
                                    "'x"sv,
                                    "don't"sv,
                                    "12345"sv,
                                    " 7"sv,
                                    "  "sv,
                                    " "sv,
                                    "\t"sv,
                                    "\n"sv,
                                    "\r\n"sv,
                                    "\n\n  "sv,
                                    "   x"sv,
                                    "!!"sv,
                                    " ..."sv,
                                    "?!\n"sv,
                                    "aaaaaaa"sv,
                                    "abab"sv,
                                    "\xC3\xA9t\xC3\xA9"sv,
                                    " \xE4\xB8\xAD\xE6\x96\x87"sv,
                                    "\xF0\x9F\x98\x80"sv,
                                    "\xD9\xA3\xD9\xA4"sv,
                                    "\xC2\xA0"sv,
                                    "\xE3\x80\x80"sv,
                                    "\xC2\xBD"sv,
                                    "\xFF"sv,
                                    "\xE4\xB8"sv,
                                    "\x80"sv,
                                    "\xC0\xAF"sv,
                                    "\xED\xA0\x80"sv,
                                    "\0"sv,
                                    "<|endoftext|>"sv,
                                    "_"sv,
                                    "x_y"sv,
                                    "\xCC\x81"sv,
                                    "e\xCC\x81"sv,
                                    "\xC5\xBF"sv,
                                    "'\xC5\xBF"sv};
  std::string text;
  for (std::size_t i = 0; i < pieces; ++i) {
    if (dice.below(8) == 0)
      text += static_cast<char>(dice.below(256));
    else
      text += parts[dice.below(parts.size())];
  }
  return text;
}

}   // namespace lastro
