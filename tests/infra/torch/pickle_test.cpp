#include "infra/torch/pickle.h"

#include <gmock/gmock.h>

#include <stdexcept>

namespace lastro {
namespace {

using namespace std::string_literals;

Pickled read(const std::string& bytes) { return read_pickle(std::as_bytes(std::span(bytes))); }

// What Python writes for OrderedDict(w=5) with an attribute _metadata, as every module's state_dict has one.
const std::string state_dict =
    "\x80\x02"s
    "ccollections\nOrderedDict\n"s
    ")R"s
    "(X\x01\0\0\0wK\x05u"s
    "}X\x09\0\0\0_metadataK\x01s"s
    "b."s;

TEST(Pickle, ReadsAStateDictAndLeavesItsAttributesOut) {
  const Pickled value = read(state_dict);

  ASSERT_TRUE(value.pairs());
  ASSERT_EQ(value.pairs()->size(), 1u);
  EXPECT_EQ(*value.pairs()->front().first.as<std::string>(), "w");
  EXPECT_EQ(*value.pairs()->front().second.as<std::int64_t>(), 5);
}

TEST(Pickle, NeverCallsWhatItNames) {
  const Pickled value = read(
      "\x80\x02"s
      "cos\nsystem\n"s
      "X\x04\0\0\0true"s
      "\x85R."s);

  EXPECT_TRUE(value.as<PickledOpaque>());
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
