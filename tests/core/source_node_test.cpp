#include "core/source_node.h"

#include <gtest/gtest.h>

namespace lastro {
namespace {

TEST(SourcesAsNodes, ComeBackWhole) {
  Digest digest;
  digest.bytes[3] = 200;
  // No member keeps its default, so a member that does not travel shows.
  const Source sent{.name = "prose",
                    .format = SourceFormat::jsonl,
                    .weight = 2.5,
                    .text_field = "body",
                    .share = 0.25,
                    .files = {{"a/b.jsonl", digest, 1234}},
                    .generated_seed = 7,
                    .generated_bytes = 99};

  const Sources received = sources_from(to_node(Sources{sent}));

  ASSERT_EQ(received.size(), 1u);
  EXPECT_EQ(received[0].name, sent.name);
  EXPECT_EQ(received[0].format, sent.format);
  EXPECT_EQ(received[0].weight, sent.weight);
  EXPECT_EQ(received[0].text_field, sent.text_field);
  EXPECT_EQ(received[0].share, sent.share);
  ASSERT_EQ(received[0].files.size(), 1u);
  EXPECT_EQ(received[0].files[0].path, sent.files[0].path);
  EXPECT_EQ(received[0].files[0].sha256, digest);
  EXPECT_EQ(received[0].files[0].bytes, 1234u);
  EXPECT_EQ(received[0].generated_seed, 7u);
  EXPECT_EQ(received[0].generated_bytes, 99u);
}

}   // namespace
}   // namespace lastro
