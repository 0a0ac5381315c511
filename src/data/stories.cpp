#include "data/stories.h"

#include "data/story_world.h"

namespace lastro {
namespace {

using namespace story_world;

std::string opening(Dice& dice, const Cast& c) {
  switch (dice.below(4)) {
    case 0:
      return join({"Once upon a time ", c.hero.name, " lived near the ", c.place, ". ", capital(c.hero.he), " was very ", c.nature.adjective, "."});
    case 1: return join({c.hero.name, " was ", article(c.nature.adjective), c.nature.adjective, " child who lived by the ", c.place, "."});
    case 2:
      return join(
          {"In a small house at the ", c.place, " there lived ", article(c.nature.adjective), c.nature.adjective, " child named ", c.hero.name, "."});
    default:
      return join({"Long ago, at the ", c.place, ", everyone knew ", c.hero.name, ", because ", c.hero.he, " was so ", c.nature.adjective, "."});
  }
}

std::string possession(Dice& dice, const Cast& c) {
  switch (dice.below(3)) {
    case 0: return join({capital(c.hero.he), " had ", article(c.colour), c.colour, " ", c.thing.name, " and often ", c.thing.use, "."});
    case 1: return join({"Every day ", c.hero.he, " took ", c.hero.his, " ", c.colour, " ", c.thing.name, " and ", c.thing.use, "."});
    default:
      return join({c.hero.name, " loved ", c.hero.his, " ", c.colour, " ", c.thing.name, ". In the evening ", c.hero.he, " ", c.thing.use, "."});
  }
}

std::string mishap(Dice& dice, const Cast& c) {
  switch (dice.below(3)) {
    case 0: return join({"One day ", c.thing.mishap, ". ", c.hero.name, " looked at the ", c.thing.name, " and cried."});
    case 1: return join({"But then ", c.thing.mishap, ". \"Oh no, my ", c.colour, " ", c.thing.name, "!\" said ", c.hero.name, "."});
    default: return join({"On a cold day ", c.thing.mishap, ", and ", c.hero.name, " ", c.nature.deed, "."});
  }
}

std::string meeting(Dice& dice, const Cast& c) {
  switch (dice.below(3)) {
    case 0: return join({"Then ", article(c.animal.name), c.animal.name, " came along and ", c.animal.sound, ". With it was ", c.friend_.name, "."});
    case 1:
      return join(
          {c.friend_.name, " was walking by with ", article(c.animal.name), c.animal.name, ". The ", c.animal.name, " ", c.animal.sound, "."});
    default:
      return join({"\"Can I help?\" asked ", c.friend_.name, ", and the ", c.animal.name, " next to ", c.friend_.him, " ", c.animal.sound, "."});
  }
}

std::string mending(Dice& dice, const Cast& c) {
  switch (dice.below(3)) {
    case 0: return join({c.friend_.name, " ", c.thing.mending, ". The ", c.thing.name, " was as good as new."});
    case 1: return join({"Together with the ", c.animal.name, ", ", c.friend_.name, " ", c.thing.mending, "."});
    default: return join({"So ", c.friend_.name, " ", c.thing.mending, ", and ", c.hero.name, " ", c.thing.use, " once more."});
  }
}

std::string counting(Dice& dice, const Cast& c) {
  const Words had = numbers[c.had], given = numbers[c.given], left = numbers[c.had - c.given];
  switch (dice.below(3)) {
    case 0:
      return join(
          {c.hero.name, " had ", had, " ", c.fruit, " and gave ", given, " of them to ", c.friend_.name, ", so ", c.hero.he, " kept ", left, "."});
    case 1: return join({"There were ", had, " ", c.fruit, " in the kitchen. ", c.friend_.name, " ate ", given, ", which left ", left, "."});
    default:
      return join({"To say thanks, ", c.hero.name, " took ", had, " ", c.fruit, ", put ", given, " into the hands of ", c.friend_.name,
                   " and was left with ", left, "."});
  }
}

std::string ending(Dice& dice, const Cast& c) {
  switch (dice.below(3)) {
    case 0: return join({"The ", c.animal.name, " got ", c.animal.gift, ". ", c.nature.end, " at the ", c.place, "."});
    case 1:
      return join(
          {c.nature.end, ", and ", c.hero.name, " and ", c.friend_.name, " stayed friends. The ", c.animal.name, " brought ", c.animal.gift, "."});
    default:
      return join(
          {"At night the ", c.colour, " ", c.thing.name, " stood next to ", c.animal.gift, " from the ", c.animal.name, ". ", c.nature.end, "."});
  }
}

constexpr std::uint64_t usual_story_bytes = 475;

}   // namespace

std::string story(std::uint64_t seed, std::int64_t number) {
  Dice dice(seed, Purpose::stories, number);
  const Cast cast = cast_of(dice);
  std::string text = opening(dice, cast);
  for (const auto part : {possession, mishap, meeting, mending}) text += " " + part(dice, cast);
  if (dice.below(2) == 0) text += " " + counting(dice, cast);
  return text + " " + ending(dice, cast);
}

std::int64_t stories_in(std::uint64_t bytes) { return static_cast<std::int64_t>((bytes + usual_story_bytes - 1) / usual_story_bytes); }

}   // namespace lastro
