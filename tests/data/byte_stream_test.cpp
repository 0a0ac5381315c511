#include "data/byte_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "data/packed.h"
#include "domain/errors.h"
#include "support/temporary_folder.h"

namespace lastro {
namespace {

using test::gzip;
using test::write_file;
using test::zstd;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::string content_of(const SourceFile& file, std::size_t piece = 1000) {
  ByteStream stream(file);
  std::string content;
  std::vector<std::byte> bytes(piece);
  while (const std::size_t count = stream.read(bytes)) content.append(reinterpret_cast<const char*>(bytes.data()), count);
  return content;
}

std::string message_of(const SourceFile& file) {
  try {
    content_of(file);
  } catch (const ContractError& error) {
    return error.what();
  }
  return "no error";
}

std::string long_text() {
  std::string text;
  for (int i = 0; i < 200000; ++i) text += std::to_string(i * 7919 % 100003) + (i % 9 == 0 ? "\n" : " ");
  return text;
}

TEST(ByteStream, GivesTheSameBytesPlainAndPackedWhateverThePieces) {
  const TemporaryFolder folder;
  const std::string text = long_text();
  for (const auto& [name, packed] : {std::pair{"plain", text}, {"gz", gzip(text)}, {"zst", zstd(text)}}) {
    const SourceFile file = write_file(folder / name, packed);

    EXPECT_EQ(content_of(file, 1), text) << name;
    EXPECT_EQ(content_of(file, 1 << 20), text) << name;
  }
}

TEST(ByteStream, GivesAllOfAFileThatShrinksToNearlyNothing) {
  const TemporaryFolder folder;
  const std::string text(5000000, 'a');

  EXPECT_EQ(content_of(write_file(folder / "a.gz", gzip(text))), text);
  EXPECT_EQ(content_of(write_file(folder / "a.zst", zstd(text))), text);
}

TEST(ByteStream, ReadsMembersAndFramesOneAfterTheOther) {
  const TemporaryFolder folder;

  EXPECT_EQ(content_of(write_file(folder / "two.gz", gzip("one, ") + gzip("two") + std::string(20, '\0'))), "one, two");
  EXPECT_EQ(content_of(write_file(folder / "two.zst", zstd("one, ") + zstd("two"))), "one, two");
}

TEST(ByteStream, GivesNothingOfAnEmptyFile) {
  const TemporaryFolder folder;

  EXPECT_EQ(content_of(write_file(folder / "empty", "")), "");
  EXPECT_EQ(content_of(write_file(folder / "empty.gz", gzip(""))), "");
}

TEST(ByteStream, SaysThatAPackedFileIsTruncated) {
  const TemporaryFolder folder;
  for (const std::string& packed : {gzip(long_text()), zstd(long_text())})
    for (const std::size_t length : {packed.size() - 1, packed.size() / 2, std::size_t{12}})
      EXPECT_THAT(message_of(write_file(folder / "cut", packed.substr(0, length))), HasSubstr("truncated")) << length;
}

TEST(ByteStream, RefusesADamagedPackedFile) {
  const TemporaryFolder folder;
  for (std::string packed : {gzip(long_text()), zstd(long_text())}) {
    packed[packed.size() / 2] ^= 0x40;
    EXPECT_THROW(content_of(write_file(folder / "damaged", packed)), ContractError);
  }
}

TEST(ByteStream, ReadsZstdThatBeginsWithAFrameToSkip) {
  const TemporaryFolder folder;
  const std::string skipped = std::string("\x5d\x2a\x4d\x18\x03\0\0\0", 8) + "abc";

  EXPECT_EQ(content_of(write_file(folder / "seekable.zst", skipped + zstd("text") + skipped)), "text");
}

TEST(ByteStream, RefusesAFileThatIsNotPackedAsItsNameSaysAndShowsHowItBegins) {
  const TemporaryFolder folder;
  for (const char* const name : {"page.gz", "page.txt.gz", "dictionary.dict.dz", "page.zst"})
    for (const auto& [content, beginning] : {std::pair{"<html>404 Not Found</html>", "its first bytes are 3c 68 74 6d 6c 3e 34 30 \"<html>40\""},
                                             {"\x1f", "its first bytes are 1f \".\""},
                                             {"", "it is empty"}})
      EXPECT_THAT(message_of(write_file(folder / name, content)),
                  AllOf(HasSubstr(name), HasSubstr(beginning), HasSubstr("Fetch it again, or take .")))
          << name << content;
}

TEST(ByteStream, RefusesWhatFollowsThePackedData) {
  const TemporaryFolder folder;
  EXPECT_THAT(message_of(write_file(folder / "a.gz", gzip("text") + "and more")), HasSubstr("is damaged gzip data (bytes of another kind follow"));
  EXPECT_THAT(message_of(write_file(folder / "a.zst", zstd("text") + "and more")), HasSubstr("is damaged zstd data (bytes of another kind follow"));
}

TEST(ReadFile, SaysThatAFileWasCutShort) {
  const TemporaryFolder folder;
  const ReadFile file(write_file(folder / "short", "four").path);
  std::array<std::byte, 5> bytes;

  EXPECT_THAT([&] { file.read_exactly(0, bytes); },
              testing::ThrowsMessage<ContractError>(
                  testing::EndsWith("short ends at byte 4 (wanted 5 bytes; it was cut short). Run the stage that made it again")));
}

TEST(ByteStream, RefusesAFileThatChangedSinceItWasPlanned) {
  const TemporaryFolder folder;
  const SourceFile planned = write_file(folder / "text", "as it was planned");

  write_file(folder / "text", "as it was_planned");
  EXPECT_THAT(message_of(planned), HasSubstr("is not the file that was planned"));

  write_file(folder / "text", "longer than it was planned");
  EXPECT_THAT(message_of(planned), HasSubstr("17 bytes"));

  std::filesystem::remove(planned.path);
  EXPECT_THROW(content_of(planned), EnvironmentError);
}

}   // namespace
}   // namespace lastro
