#include "data/text_size.h"

#include <gtest/gtest.h>

#include "data/packed.h"
#include "domain/errors.h"
#include "support/temporary_folder.h"

namespace lastro {
namespace {

using test::write_file;

// Of words that are drawn, so that it packs as prose does and alike everywhere.
std::string prose(std::size_t bytes) {
  std::string text;
  for (std::uint32_t draw = 1; text.size() < bytes; draw = draw * 1664525 + 1013904223) text += "word" + std::to_string(draw >> 20) + " ";
  return text;
}

TEST(TextSize, IsThatOfThePlainFile) {
  const TemporaryFolder folder;

  EXPECT_EQ(text_bytes_of(write_file(folder / "a.txt", "twelve bytes").path), 12u);
  EXPECT_EQ(text_bytes_of(write_file(folder / "empty.txt", "").path), 0u);
}

TEST(TextSize, OfAPackedFileIsExactWhereItIsSmallAndNearWhereItIsLarge) {
  const TemporaryFolder folder;
  const std::string small = prose(1000), large = prose(6'000'000);

  for (const auto& [name, pack] : {std::pair{"a.gz", &test::gzip}, {"a.zst", &test::zstd}}) {
    EXPECT_EQ(text_bytes_of(write_file(folder / name, pack(small)).path), small.size()) << name;
    const SourceFile packed = write_file(folder / name, pack(large));
    ASSERT_GT(packed.bytes, 512u * 1024) << name;
    EXPECT_NEAR(static_cast<double>(text_bytes_of(packed.path)) / static_cast<double>(large.size()), 1, 0.25) << name;
  }
}

TEST(TextSize, StopsWhereAFileHoldsAThousandTimesItsSize) {
  const TemporaryFolder folder;
  const std::string zeros(100'000'000, '\0');

  EXPECT_NEAR(static_cast<double>(text_bytes_of(write_file(folder / "a.gz", test::gzip(zeros)).path)), 1e8, 1e7);
}

TEST(TextSize, OfDamagedDataIsTheFiles) {
  const TemporaryFolder folder;
  std::string packed = test::gzip(prose(1000));
  packed[20] ^= 0x55, packed[21] ^= 0x55;

  EXPECT_EQ(text_bytes_of(write_file(folder / "a.gz", packed).path), packed.size());
  EXPECT_EQ(text_bytes_of(write_file(folder / "b.gz", "plain").path), 5u);
}

TEST(NamesOfPackedFiles, AreHeldToTheirBytes) {
  const TemporaryFolder folder;

  EXPECT_THROW(expect_named_truly(write_file(folder / "a.gz", "plain").path), ContractError);
  EXPECT_THROW(expect_named_truly(write_file(folder / "a.zst", "").path), ContractError);
  EXPECT_NO_THROW(expect_named_truly(write_file(folder / "a.txt", "plain").path));
  EXPECT_NO_THROW(expect_named_truly(write_file(folder / "b.gz", test::gzip("packed")).path));
}

}   // namespace
}   // namespace lastro
