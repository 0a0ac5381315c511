#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace lastro {

// GPT-2's way to write any bytes as printable text, used in vocab.json, merges.txt and tokenizer.json: '!'..'~', U+00A1..U+00AC and U+00AE..U+00FF
// stand for their own byte, the other 68 bytes for U+0100, U+0101, ... in order of the byte. A space is U+0120.

// The bytes in the order of the characters that stand for them: '!' first. This is how GPT-2, cl100k and Hugging Face's trainer number them.
const std::array<std::uint8_t, 256>& bytes_in_order();

std::string to_byte_level(std::string_view bytes);

}   // namespace lastro
