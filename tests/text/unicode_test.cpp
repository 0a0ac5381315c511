#include "text/unicode.h"

#include <gtest/gtest.h>

namespace lastro {
namespace {

std::size_t size_of(CharClass kind) {
  std::size_t points = 0;
  for (const auto& [first, last] : ranges_of(kind)) points += last - first + 1;
  return points;
}

TEST(Unicode, HasAsManyLettersAndNumbersAsItsVersionDefines) {
  // DerivedGeneralCategory-16.0.0.txt: totals of L* and N*; PropList-16.0.0.txt: White_Space.
  EXPECT_EQ(unicode_version(), "16.0.0");
  EXPECT_EQ(size_of(CharClass::letter), 141028u);
  EXPECT_EQ(size_of(CharClass::number), 1911u);
  EXPECT_EQ(size_of(CharClass::space), 25u);
}

TEST(Unicode, ClassesCharactersByCategory) {
  EXPECT_EQ(class_of(U'a'), CharClass::letter);
  EXPECT_EQ(class_of(U'\u00E9'), CharClass::letter);
  EXPECT_EQ(class_of(U'\u4E2D'), CharClass::letter);
  EXPECT_EQ(class_of(U'\U000323AF'), CharClass::letter);   // the last letter there is
  EXPECT_EQ(class_of(U'\U000323B0'), CharClass::other);
  EXPECT_EQ(class_of(U'7'), CharClass::number);
  EXPECT_EQ(class_of(U'\u00BD'), CharClass::number);   // one half, No
  EXPECT_EQ(class_of(U'\u2160'), CharClass::number);   // roman one, Nl
  EXPECT_EQ(class_of(U'\u00A0'), CharClass::space);
  EXPECT_EQ(class_of(U'\u0085'), CharClass::space);
  EXPECT_EQ(class_of(U'\u200B'), CharClass::other);   // zero width space is none
  EXPECT_EQ(class_of(U'\u0301'), CharClass::other);   // combining mark
  EXPECT_EQ(class_of(0x10FFFF), CharClass::other);
}

}   // namespace
}   // namespace lastro
