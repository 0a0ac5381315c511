#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lastro {

// What pre-tokenisation asks of a character: letter = general category L*, number = N*, space = White_Space.
enum class CharClass : std::uint8_t { other = 0, letter = 1, number = 2, space = 3 };

CharClass class_of(char32_t point);

// "16.0.0": of the tables that class_of reads; stated in every tokenizer.
std::string_view unicode_version();

// The code points of a class as ascending ranges [first, last].
std::vector<std::pair<char32_t, char32_t>> ranges_of(CharClass wanted);

}   // namespace lastro
