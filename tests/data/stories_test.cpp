#include "data/stories.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "core/hash.h"

namespace lastro {
namespace {

TEST(Stories, AreTheSameEverywhere) {
  std::string text;
  for (std::int64_t i = 0; i < 100; ++i) text += story(1, i);

  EXPECT_EQ(story(1, 0),
            "Once upon a time Ada lived near the village. She was very shy. Every day she took her blue kite and flew it over the hill. On a cold "
            "day the string broke "
            "and it got stuck in a tree, and Ada hid behind the door at first. Ivy was walking by with a hare. The hare thumped the ground. Together "
            "with the "
            "hare, Ivy climbed the tree and brought it down. Ada had ten pears and gave six of them to Ivy, so she kept four. The hare got a sweet "
            "carrot. From "
            "that day on, there was no more hiding at the village.");
  EXPECT_EQ(sha256(text).hex(), "86d526aa8d617a91d15b5603dd38fc26ea637c4d7a5f762cd5a9881269b1651c");
}

TEST(Stories, DifferByNumberAndSeed) {
  std::set<std::string> stories;
  for (std::int64_t i = 0; i < 2000; ++i) stories.insert(story(1, i));

  EXPECT_EQ(stories.size(), 2000u);
  EXPECT_EQ(stories.count(story(2, 0)), 0u);
}

TEST(Stories, MakeAboutAsMuchTextAsAskedFor) {
  const std::int64_t count = stories_in(1000000);
  std::int64_t bytes = 0;
  for (std::int64_t i = 0; i < count; ++i) bytes += static_cast<std::int64_t>(story(1, i).size());

  EXPECT_NEAR(static_cast<double>(bytes), 1e6, 3e4);
}

}   // namespace
}   // namespace lastro
