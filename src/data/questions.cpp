#include "data/questions.h"

#include "data/story_world.h"

namespace lastro {
namespace {

using namespace story_world;

std::string about_counting(const Cast& c) {
  return join({"Question: ", c.hero.name, " carries ", numbers[c.had], " ", c.fruit, " to the ", c.place, ", and ", c.friend_.name, " is handed ",
               numbers[c.given], " on the way. How many ", c.fruit, " reach the ", c.place, "?\nAnswer: ", numbers[c.had - c.given], "."});
}

std::string about_mending(const Cast& c) {
  return join({"Question: What could ", c.friend_.name, " do for ", c.hero.name, ", the owner of a ", c.colour, " ", c.thing.name, ", after ",
               c.thing.mishap, "?\nAnswer: What mends it is that somebody ", c.thing.mending, "."});
}

std::string about_sounds(const Cast& c) {
  return join({"Question: Behind the ", c.place, " something ", c.animal.sound, " when ", c.hero.name, " passed with the ", c.colour, " ",
               c.thing.name, ". Which animal may it have been?\nAnswer: ", article(c.animal.name), c.animal.name, "."});
}

std::string about_characters(const Cast& c) {
  return join({"Question: Of a child called ", c.hero.name, ", a friend of ", c.friend_.name, ", it is told at the ", c.place, " that ", c.hero.he,
               " ", c.nature.deed, ". What do people call such a child?\nAnswer: ", c.nature.adjective, "."});
}

constexpr std::uint64_t usual_question_bytes = 151;

}   // namespace

std::string question(std::uint64_t seed, std::int64_t number) {
  Dice dice(seed, Purpose::questions, number);
  const Cast cast = cast_of(dice);
  switch (dice.below(4)) {
    case 0: return about_counting(cast);
    case 1: return about_mending(cast);
    case 2: return about_sounds(cast);
    default: return about_characters(cast);
  }
}

std::int64_t questions_in(std::uint64_t bytes) { return static_cast<std::int64_t>((bytes + usual_question_bytes - 1) / usual_question_bytes); }

}   // namespace lastro
