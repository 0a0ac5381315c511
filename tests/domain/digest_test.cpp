#include "domain/digest.h"

#include <gtest/gtest.h>

namespace lastro {
namespace {

TEST(Digest, ReadsBackWhatItWrites) {
  Digest digest;
  for (int i = 0; i < 32; ++i) digest.bytes[i] = static_cast<std::uint8_t>(i * 37);

  EXPECT_EQ(Digest::parse(digest.to_string()), digest);
  EXPECT_EQ(Digest::parse(digest.hex()), digest);
}

TEST(Digest, RefusesWhatIsNoDigest) {
  const std::string good(64, 'a');

  EXPECT_TRUE(Digest::parse(good));
  for (const std::string& bad :
       {std::string(63, 'a'), std::string(65, 'a'), std::string(64, 'g'), std::string(64, 'A'), "md5:" + good, std::string()})
    EXPECT_FALSE(Digest::parse(bad)) << bad;
}

}   // namespace
}   // namespace lastro
