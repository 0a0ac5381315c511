#include "infra/torch/pickle.h"

#include <gmock/gmock.h>

#include <stdexcept>

namespace lastro {
namespace {

using namespace std::string_literals;

Pickle read(const std::string& bytes) { return read_pickle(std::as_bytes(std::span(bytes))); }

// What Python writes for OrderedDict(w=5) with an attribute _metadata, as every module's state_dict has one.
const std::string state_dict =
    "\x80\x02"s
    "ccollections\nOrderedDict\n"s
    ")R"s
    "(X\x01\0\0\0wK\x05u"s
    "}X\x09\0\0\0_metadataK\x01s"s
    "b."s;

TEST(Pickle, ReadsAStateDictAndLeavesItsAttributesOut) {
  const Pickle pickle = read(state_dict);

  const PickledPairs* pairs = pickle.value.pairs();
  ASSERT_TRUE(pairs);
  ASSERT_EQ(pairs->size(), 1u);
  EXPECT_EQ(*pairs->front().first.as<std::string>(), "w");
  EXPECT_EQ(*pairs->front().second.as<std::int64_t>(), 5);
}

TEST(Pickle, NeverCallsWhatItNames) {
  const Pickle pickle = read(
      "\x80\x02"s
      "cos\nsystem\n"s
      "X\x04\0\0\0true"s
      "\x85R."s);

  EXPECT_TRUE(pickle.value.as<PickledOpaque>());
}

TEST(Pickle, MayNestWithoutEndAndHoldItself) {
  const Pickle deep = read("]" + std::string(1'000'000, '\x85') + ".");   // each wraps the one before into a tuple
  const Pickle round = read(
      "]q\x01h\x01"
      "a.");

  EXPECT_EQ(deep.lists.size(), 1'000'001u);
  ASSERT_EQ(round.value.items()->size(), 1u);
  EXPECT_EQ(round.value.items()->front().items(), round.value.items());
}

TEST(Pickle, RefusesBytesThatEndAnywhereTooEarly) {
  for (std::size_t length = 0; length < state_dict.size(); ++length) EXPECT_THROW(read(state_dict.substr(0, length)), std::runtime_error) << length;
}

TEST(Pickle, RefusesAnEmptyStackAndUnknownOperations) {
  EXPECT_THROW(read("R."), std::runtime_error);
  EXPECT_THROW(read("u."), std::runtime_error);
  EXPECT_THROW(read("h\x07."), std::runtime_error);
  EXPECT_THROW(read("\xff."), std::runtime_error);
}

}   // namespace
}   // namespace lastro
