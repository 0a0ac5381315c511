#include "data/stories.h"

#include <array>
#include <string_view>

#include "core/random.h"

namespace lastro {
namespace {

using Words = std::string_view;

struct Name {
  Words name, he, his, him;
};
constexpr std::array names{
    Name{"Mia", "she", "her", "her"},  Name{"Ben", "he", "his", "him"},  Name{"Lily", "she", "her", "her"},  Name{"Tom", "he", "his", "him"},
    Name{"Ada", "she", "her", "her"},  Name{"Max", "he", "his", "him"},  Name{"Rosa", "she", "her", "her"},  Name{"Finn", "he", "his", "him"},
    Name{"Zoe", "she", "her", "her"},  Name{"Otto", "he", "his", "him"}, Name{"Nora", "she", "her", "her"},  Name{"Hugo", "he", "his", "him"},
    Name{"Ivy", "she", "her", "her"},  Name{"Leo", "he", "his", "him"},  Name{"Clara", "she", "her", "her"}, Name{"Sam", "he", "his", "him"},
    Name{"Vera", "she", "her", "her"}, Name{"Jack", "he", "his", "him"}, Name{"Pia", "she", "her", "her"},   Name{"Paul", "he", "his", "him"},
};

// A thing, what is done with it, what goes wrong, and what mends that.
struct Thing {
  Words name, use, mishap, mending;
};
constexpr std::array things{
    Thing{"kite", "flew it over the hill", "the string broke and it got stuck in a tree", "climbed the tree and brought it down"},
    Thing{"boat", "sailed it on the pond", "the wind pushed it far away from the shore", "used a long stick to pull it back"},
    Thing{"ball", "threw it against the wall", "it rolled down the road and into a hole", "reached into the hole and got it out"},
    Thing{"drum", "played a song on it", "the skin of it got a big tear", "mended the tear with a piece of cloth"},
    Thing{"bell", "rang it in the morning", "it fell into the well", "let down a bucket and fished it out"},
    Thing{"hat", "wore it to the market", "a gust of wind blew it onto the roof", "found a ladder and took it from the roof"},
    Thing{"lamp", "carried it through the dark", "the light of it went out", "filled it with oil and lit it again"},
    Thing{"book", "read it under the stars", "the rain made all its pages wet", "dried the pages one by one near the fire"},
    Thing{"cart", "rode in it down the lane", "one of its wheels came off", "put the wheel back on with a new pin"},
    Thing{"flute", "blew a tune on it", "it slipped into the mud and made no sound", "washed it in the river until it sang again"},
    Thing{"basket", "filled it with apples", "the handle of it snapped", "wove a new handle out of willow"},
    Thing{"clock", "listened to it tick", "it stopped at noon and did not go on", "wound it up with a tiny key"},
};

struct Animal {
  Words name, sound, gift;
};
constexpr std::array animals{
    Animal{"fox", "barked softly", "a shiny feather"},
    Animal{"owl", "hooted twice", "an old map"},
    Animal{"bear", "growled a little", "a jar of honey"},
    Animal{"duck", "quacked loudly", "a round pebble"},
    Animal{"mouse", "squeaked", "a crumb of cheese"},
    Animal{"frog", "croaked", "a green leaf"},
    Animal{"goat", "bleated", "a bunch of hay"},
    Animal{"crow", "cawed", "a silver button"},
    Animal{"hare", "thumped the ground", "a sweet carrot"},
    Animal{"cat", "purred", "a ball of wool"},
};

// A character, what comes of it at the end.
struct Nature {
  Words adjective, deed, end;
};
constexpr std::array natures{
    Nature{"kind", "shared the bread with everyone", "From that day on, kindness came back"},
    Nature{"brave", "went first where it was dark", "From that day on, nobody was afraid"},
    Nature{"clever", "thought of a plan at once", "From that day on, people asked for advice"},
    Nature{"lazy", "lay down and slept until noon", "From that day on, there was less sleeping"},
    Nature{"greedy", "wanted to keep it all alone", "From that day on, there was more sharing"},
    Nature{"shy", "hid behind the door at first", "From that day on, there was no more hiding"},
    Nature{"proud", "did not want to ask for help", "From that day on, asking was easy"},
    Nature{"patient", "waited without a word", "From that day on, waiting was a game"},
};

constexpr std::array<Words, 10> colours{"red", "blue", "green", "yellow", "white", "black", "golden", "brown", "purple", "grey"};
constexpr std::array<Words, 10> places{"village", "forest", "valley", "harbour", "castle", "farm", "garden", "mill", "tower", "meadow"};
constexpr std::array<Words, 8> fruits{"apples", "plums", "pears", "cherries", "nuts", "berries", "figs", "cakes"};
constexpr std::array<Words, 13> numbers{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"};

// The random numbers of one story, in the order they are asked for.
class Dice {
 public:
  Dice(std::uint64_t seed, std::int64_t number) : seed_(seed), number_(static_cast<std::uint64_t>(number)) {}
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(random_u64(seed_, Purpose::stories, number_, asked_++) >> 32) % count; }
  template <class List>
  const auto& one_of(const List& list) {
    return list[below(list.size())];
  }

 private:
  std::uint64_t seed_;
  std::uint64_t number_;
  std::uint64_t asked_ = 0;
};

std::string join(std::initializer_list<Words> parts) {
  std::string text;
  for (const Words part : parts) text += part;
  return text;
}

std::string capital(Words word) {
  std::string text(word);
  text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

Words article(Words word) { return Words("aeiou").find(word[0]) == Words::npos ? "a " : "an "; }

struct Cast {
  Name hero, friend_;
  Animal animal;
  Thing thing;
  Nature nature;
  Words colour, place, fruit;
  std::size_t had, given;
};

Cast cast_of(Dice& dice) {
  const Name hero = dice.one_of(names);
  Name other = dice.one_of(names);
  while (other.name == hero.name) other = dice.one_of(names);
  const std::size_t had = 3 + dice.below(10);
  return {hero,
          other,
          dice.one_of(animals),
          dice.one_of(things),
          dice.one_of(natures),
          dice.one_of(colours),
          dice.one_of(places),
          dice.one_of(fruits),
          had,
          1 + dice.below(had - 1)};
}

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
  Dice dice(seed, number);
  const Cast cast = cast_of(dice);
  std::string text = opening(dice, cast);
  for (const auto part : {possession, mishap, meeting, mending}) text += " " + part(dice, cast);
  if (dice.below(2) == 0) text += " " + counting(dice, cast);
  return text + " " + ending(dice, cast);
}

std::int64_t stories_in(std::uint64_t bytes) { return static_cast<std::int64_t>((bytes + usual_story_bytes - 1) / usual_story_bytes); }

}   // namespace lastro
