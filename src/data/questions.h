#pragma once

#include <cstdint>
#include <string>

namespace lastro {

// The product's own exam: questions with their answers about the world of its stories, one an item. They say what a story might tell, in
// other words: a run of 13 words that stands in a question stands in no story, so an item that is found in a text was copied there.
std::string question(std::uint64_t seed, std::int64_t number);

// How many questions make about `bytes` of text.
std::int64_t questions_in(std::uint64_t bytes);

}   // namespace lastro
