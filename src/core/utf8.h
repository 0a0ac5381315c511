#pragma once

#include <cstddef>
#include <string_view>

namespace lastro {

// Bytes of the UTF-8 sequence at the start of `text`: 1 to 4; 0 when text is empty or does not start with one (overlong forms,
// surrogates and values above U+10FFFF are none).
std::size_t utf8_sequence_length(std::string_view text);

// The offset of the first byte that belongs to no UTF-8 sequence; text.size() when there is none.
std::size_t first_invalid_utf8(std::string_view text);

}   // namespace lastro
