#include "core/files.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "core/sealed_json.h"
#include "domain/errors.h"
#include "tests/support/temporary_folder.h"

namespace lastro {
namespace {

TEST(Files, ReadBackWhatWasWritten) {
  const TemporaryFolder folder;
  const std::string text("a\0b\nc", 5);

  write_file(folder / "file", text);

  EXPECT_EQ(read_file(folder / "file"), text);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);   // no draft is left
}

TEST(Files, ReadFilesOfUnknownSize) { EXPECT_FALSE(read_file("/proc/self/stat").empty()); }

TEST(Files, NameTheFileThatRefuses) {
  const TemporaryFolder folder;

  try {
    write_file(folder / "missing" / "file", "x");
    FAIL();
  } catch (const EnvironmentError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("missing/file"));
  }
  EXPECT_THROW(read_file(folder.path()), EnvironmentError);
}

TEST(SealedJson, ReadsBackAndFindsEveryFlippedBit) {
  const TemporaryFolder folder;
  Node content;
  content.set("name", "\u00e9 \"quoted\"\n");
  content.set("share", 0.1);
  content.set("empty", Node::mapping());
  content.set("list", Node(Node::Sequence{1, 2.0, nullptr, true}));
  write_sealed_json(folder / "file", content);
  const std::string good = read_file(folder / "file");
  EXPECT_EQ(read_sealed_json(folder / "file"), content);

  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] ^= good[i] == ' ' || good[i] == '\n' ? 0x2a : 4;   // ' ' and '\n' become each other: still JSON
    std::ofstream(folder / "file", std::ios::trunc) << bad;
    EXPECT_THROW(read_sealed_json(folder / "file"), ContractError) << "byte " << i;
  }
}

TEST(SealedJson, SaysWhatIsWrongWhenTheContentIsNot) {
  const TemporaryFolder folder;
  write_sealed_json(folder / "file", Node::mapping());
  std::ofstream(folder / "file", std::ios::app) << '\n';

  try {
    read_sealed_json(folder / "file");
    FAIL();
  } catch (const ContractError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("behind its end were changed"));
  }
}

TEST(SealedJson, SealsAnEmptyMapping) {
  const TemporaryFolder folder;

  write_sealed_json(folder / "file", Node::mapping());

  EXPECT_EQ(read_sealed_json(folder / "file"), Node::mapping());
}

}   // namespace
}   // namespace lastro
