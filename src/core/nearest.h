#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lastro {

// The candidate that `word` was probably meant to be: fewest single-character edits (a swap of neighbours counts as one), at most a third
// of the longer word's length; the first of equals. Empty when none is near.
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);

// `. Did you mean "size"?` or, when none is near and there are few, ` (known: size, ties)`; ready to end a message.
std::string suggestion(std::string_view word, std::span<const std::string_view> candidates);

}   // namespace lastro
