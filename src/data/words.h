#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lastro {

// Text as a stream of normalised words, so that case, punctuation and line breaks do not hide that two texts say the same: letters are
// lower-cased (Latin, Greek, Cyrillic), punctuation is deleted, words are parted by white space. Chinese, Japanese and Korean characters
// are words of their own, since nothing parts them.
std::vector<std::string> normalised_words(std::string_view text);

// The words' hashes (hash64 of each), put into `hashes`, which is emptied first.
void hash_words(std::string_view text, std::vector<std::uint64_t>& hashes);

}   // namespace lastro
