#pragma once

#include <cstddef>
#include <string_view>

namespace lastro {

// Bytes of the UTF-8 sequence at the start of `text`: 1 to 4; 0 when text is empty or does not start with one (overlong forms,
// surrogates and values above U+10FFFF are none).
std::size_t utf8_sequence_length(std::string_view text);

}   // namespace lastro
