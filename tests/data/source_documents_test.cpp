#include "data/source_documents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "data/packed.h"
#include "data/stories.h"
#include "domain/errors.h"
#include "support/temporary_folder.h"

namespace lastro {
namespace {

using test::gzip;
using test::write_file;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

using Documents = std::map<std::pair<int, std::int64_t>, std::string>;

// All documents, read in `parts` parts; fails when a document comes twice.
Documents read_all(const Sources& sources, int parts) {
  const SourceDocuments documents(sources);
  Documents found;
  for (int part = 0; part < parts; ++part)
    documents.read(part, parts, [&](const DocumentPiece& piece) {
      EXPECT_TRUE(piece.is_first && piece.is_last);
      EXPECT_TRUE(found.emplace(std::pair(piece.source, piece.document), std::string(piece.bytes)).second);
    });
  return found;
}

Source source_of(SourceFormat format, std::vector<SourceFile> files) {
  Source source;
  source.name = "source";
  source.format = format;
  source.files = std::move(files);
  return source;
}

Source stories_source(std::uint64_t bytes) {
  Source source;
  source.name = "stories";
  source.format = SourceFormat::stories;
  source.generated_seed = 1;
  source.generated_bytes = bytes;
  return source;
}

std::string text_of(int paragraphs) {
  std::string text;
  for (int i = 0; i < paragraphs; ++i) text += story(9, i) + "\n\n";
  return text;
}

std::string rows_of(int count) {
  std::string rows;
  for (int i = 0; i < count; ++i) rows += "{\"text\": \"" + std::to_string(i) + "\"}\n";
  return rows;
}

TEST(SourceDocuments, AreTheSameForAnyNumberOfParts) {
  const TemporaryFolder folder;
  const Sources sources{source_of(SourceFormat::text, {write_file(folder / "a.txt", text_of(2000)), write_file(folder / "b.gz", gzip(text_of(300)))}),
                        source_of(SourceFormat::jsonl, {write_file(folder / "rows.jsonl", rows_of(1000))}), stories_source(200000)};

  const Documents whole = read_all(sources, 1);

  EXPECT_GT(whole.size(), 1500u);
  for (const int parts : {2, 3, 4, 7, 50}) EXPECT_EQ(read_all(sources, parts), whole) << parts;
}

TEST(SourceDocuments, ShareALargeFileAndManySmallOnesEvenly) {
  const TemporaryFolder folder;
  std::vector<SourceFile> small;
  for (int i = 0; i < 40; ++i) small.push_back(write_file(folder / std::to_string(i), "file " + std::to_string(i)));
  const Sources sources{source_of(SourceFormat::jsonl, {write_file(folder / "rows.jsonl", rows_of(4000))}), source_of(SourceFormat::text, small)};
  const SourceDocuments documents(sources);

  for (int part = 0; part < 4; ++part) {
    const auto report = documents.read(part, 4, [](const DocumentPiece&) {});

    EXPECT_NEAR(static_cast<double>(report.sources[0].documents), 1000, 64);
    EXPECT_EQ(report.sources[1].documents, 10);
  }
}

TEST(SourceDocuments, DoNotDependOnHowAFileIsPacked) {
  const TemporaryFolder folder;
  const std::string text = text_of(500);

  EXPECT_EQ(read_all({source_of(SourceFormat::text, {write_file(folder / "a", text)})}, 1),
            read_all({source_of(SourceFormat::text, {write_file(folder / "b", gzip(text))})}, 1));
}

TEST(SourceDocuments, CountMalformedRowsAndNameTheFirst) {
  const TemporaryFolder folder;
  const auto file = write_file(folder / "rows.jsonl", "{\"text\": \"a\"}\n{\"txt\": \"b\"}\nnonsense\n{\"text\": \"c\"}\n" +
                                                          std::string(20, '[').append("\n") + "{\n{\n{\n{\n");
  const SourceDocuments documents({source_of(SourceFormat::jsonl, {file})});

  const auto report = documents.read(0, 1, [](const DocumentPiece&) {}).sources[0];

  EXPECT_EQ(report.documents, 2);
  EXPECT_EQ(report.malformed, 7);
  EXPECT_EQ(report.rows, 9);
  ASSERT_THAT(report.first_malformed, SizeIs(5));
  EXPECT_EQ(report.first_malformed[0].text, (folder / "rows.jsonl").string() + ":2: no field \"text\" (the row has \"txt\")");
  EXPECT_THAT(report.first_malformed[1].text, HasSubstr("rows.jsonl:3: not JSON"));
}

TEST(SourceDocuments, PartALongRowsText) {
  const TemporaryFolder folder;
  std::string text;
  while (text.size() < 300000) text += "word ";
  const auto file = write_file(folder / "rows.jsonl", "{\"text\": \"" + text + "\"}\n{\"text\": \"next\"}\n");

  std::string joined;
  const Documents documents = read_all({source_of(SourceFormat::jsonl, {file})}, 2);
  for (const auto& [id, part] : documents) joined += part;

  EXPECT_EQ(documents.size(), 6u);
  EXPECT_EQ(joined, text + "next");
}

TEST(SourceDocuments, TakeAShareOfASourceByItsContent) {
  const TemporaryFolder folder;
  const std::string rows = rows_of(4000);
  Source source = source_of(SourceFormat::jsonl, {write_file(folder / "rows.jsonl", rows)});
  source.share = 0.25;
  Source moved = source_of(SourceFormat::jsonl, {write_file(folder / "moved.jsonl", "\n\n" + rows)});
  moved.share = 0.25;

  std::vector<std::string> texts, texts_moved;
  for (const auto& [id, text] : read_all({source}, 1)) texts.push_back(text);
  for (const auto& [id, text] : read_all({moved}, 3)) texts_moved.push_back(text);

  EXPECT_NEAR(static_cast<double>(texts.size()), 1000, 110);
  EXPECT_EQ(texts, texts_moved);
}

TEST(SourceDocuments, StopWithoutCheckingWhenTheReaderHasEnough) {
  const TemporaryFolder folder;
  auto file = write_file(folder / "rows.jsonl", rows_of(100000));
  file.sha256 = sha256("something else");
  const SourceDocuments documents({source_of(SourceFormat::jsonl, {file})});
  int seen = 0;

  documents.read(
      0, 1, [&](const DocumentPiece&) { ++seen; }, [&] { return seen > 10; });

  EXPECT_LT(seen, 50000);
  EXPECT_THROW(documents.read(0, 1, [](const DocumentPiece&) {}), ContractError);
}

TEST(SourceDocuments, StandBehindThePortThatOthersRead) {
  int count = 0;

  open_documents({stories_source(10000)})->read(0, 1, [&](const DocumentPiece& piece) { EXPECT_EQ(piece.bytes, story(1, count++)); });

  EXPECT_EQ(count, stories_in(10000));
}

}   // namespace
}   // namespace lastro
