#include "core/hash.h"

#include <gtest/gtest.h>

namespace lastro {
namespace {

TEST(Sha256, GivesTheStandardsExamples) {   // FIPS 180-4, examples of one and two blocks
  EXPECT_EQ(sha256("abc").hex(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq").hex(),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(Sha256, StartsAnewAfterEachMessage) {
  Sha256 hash;
  hash.update("something else").finish();

  EXPECT_EQ(hash.update("a").update("bc").finish(), sha256("abc"));
}

}   // namespace
}   // namespace lastro
