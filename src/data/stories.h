#pragma once

#include <cstdint>
#include <string>

namespace lastro {

// The product's own test text: small English stories out of a seeded grammar. What a story begins with (who, with what thing of which
// colour, of which character, how many of something) decides words hundreds of bytes later, which a language model learns and a
// dictionary compressor does not see. Story `number` is made on its own, in the same time wherever it stands.
std::string story(std::uint64_t seed, std::int64_t number);

// How many stories make about `bytes` of text.
std::int64_t stories_in(std::uint64_t bytes);

}   // namespace lastro
