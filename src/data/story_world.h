#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "core/random.h"

// Who and what the generated texts are about: the words that stories and questions share.
namespace lastro::story_world {

using Words = std::string_view;

struct Name {
  Words name, he, his, him;
};
inline constexpr std::array names{
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
inline constexpr std::array things{
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
inline constexpr std::array animals{
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
inline constexpr std::array natures{
    Nature{"kind", "shared the bread with everyone", "From that day on, kindness came back"},
    Nature{"brave", "went first where it was dark", "From that day on, nobody was afraid"},
    Nature{"clever", "thought of a plan at once", "From that day on, people asked for advice"},
    Nature{"lazy", "lay down and slept until noon", "From that day on, there was less sleeping"},
    Nature{"greedy", "wanted to keep it all alone", "From that day on, there was more sharing"},
    Nature{"shy", "hid behind the door at first", "From that day on, there was no more hiding"},
    Nature{"proud", "did not want to ask for help", "From that day on, asking was easy"},
    Nature{"patient", "waited without a word", "From that day on, waiting was a game"},
};

inline constexpr std::array<Words, 10> colours{"red", "blue", "green", "yellow", "white", "black", "golden", "brown", "purple", "grey"};
inline constexpr std::array<Words, 10> places{"village", "forest", "valley", "harbour", "castle", "farm", "garden", "mill", "tower", "meadow"};
inline constexpr std::array<Words, 8> fruits{"apples", "plums", "pears", "cherries", "nuts", "berries", "figs", "cakes"};
inline constexpr std::array<Words, 13> numbers{"no",    "one",   "two",  "three", "four",   "five",  "six",
                                               "seven", "eight", "nine", "ten",   "eleven", "twelve"};

// The random numbers of one text, in the order they are asked for.
class Dice {
 public:
  Dice(std::uint64_t seed, Purpose purpose, std::int64_t number) : seed_(seed), purpose_(purpose), number_(static_cast<std::uint64_t>(number)) {}
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(random_u64(seed_, purpose_, number_, asked_++) >> 32) % count; }
  template <class List>
  const auto& one_of(const List& list) {
    return list[below(list.size())];
  }

 private:
  std::uint64_t seed_;
  Purpose purpose_;
  std::uint64_t number_;
  std::uint64_t asked_ = 0;
};

inline std::string join(std::initializer_list<Words> parts) {
  std::string text;
  for (const Words part : parts) text += part;
  return text;
}

inline std::string capital(Words word) {
  std::string text(word);
  text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

inline Words article(Words word) { return Words("aeiou").find(word[0]) == Words::npos ? "a " : "an "; }

struct Cast {
  Name hero, friend_;
  Animal animal;
  Thing thing;
  Nature nature;
  Words colour, place, fruit;
  std::size_t had, given;
};

inline Cast cast_of(Dice& dice) {
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

}   // namespace lastro::story_world
