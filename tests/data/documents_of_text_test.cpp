#include "data/documents_of_text.h"
#include "support/is_utf8.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lastro {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::SizeIs;

struct Found {
  std::int64_t offset;
  std::string text;
  bool operator==(const Found&) const = default;
};

std::vector<Found> assembled(SourceFormat format, std::string_view content, std::size_t piece = 1 << 20, CutInto cut = CutInto::documents) {
  std::vector<Found> documents;
  DocumentAssembler assembler(format, cut, [&](std::int64_t offset, std::string_view text) { documents.push_back({offset, std::string(text)}); });
  for (std::size_t begin = 0; begin < content.size(); begin += piece) assembler.add(content.substr(begin, piece));
  assembler.finish();
  return documents;
}

std::vector<Found> items(SourceFormat format, std::string_view content, std::size_t piece = 1 << 20) {
  return assembled(format, content, piece, CutInto::items);
}

std::vector<std::string> texts(const std::vector<Found>& documents) {
  std::vector<std::string> list;
  for (const Found& document : documents) list.push_back(document.text);
  return list;
}

const std::string paragraph = std::string(1500, 'x') + "\n";

TEST(DocumentsOfText, GatherParagraphsUntilThereIsEnough) {
  const auto documents = texts(assembled(SourceFormat::text, paragraph + "\n" + paragraph + "\n" + paragraph + "\nend\n"));

  EXPECT_THAT(documents, ElementsAre(paragraph + "\n" + paragraph + "\n", paragraph + "\nend\n"));
}

TEST(DocumentsOfText, AreNotCutInsideAParagraph) { EXPECT_THAT(assembled(SourceFormat::text, paragraph + paragraph + paragraph), SizeIs(1)); }

TEST(DocumentsOfText, DoNotDependOnHowTheBytesCome) {
  std::string content;
  for (int i = 0; i < 3000; ++i) content += "line " + std::to_string(i * i) + (i % 7 == 0 ? "\n\n" : i % 11 == 0 ? "\n# Heading\n" : "\n");
  for (const SourceFormat format : {SourceFormat::text, SourceFormat::markdown, SourceFormat::dictd}) {
    const auto whole = assembled(format, content);

    EXPECT_GT(whole.size(), 5u);
    EXPECT_EQ(assembled(format, content, 1), whole);
    EXPECT_EQ(assembled(format, content, 997), whole);
    for (const Found& document : whole) EXPECT_EQ(content.substr(static_cast<std::size_t>(document.offset), document.text.size()), document.text);
    EXPECT_EQ(items(format, content, 1), items(format, content));
  }
}

TEST(DocumentsOfText, OfMarkdownBeginAtHeadingsAndKeepFencesWhole) {
  const std::string section(600, 'a'), code(3000, 'c');

  const auto documents = texts(assembled(SourceFormat::markdown, "# One\n" + section + "\n# Two\nshort\n## Three\n" + section + "\n```\n" + code +
                                                                     "\n\n# not a heading\n\n```\n# Four\n"));

  EXPECT_THAT(documents, ElementsAre("# One\n" + section + "\n",
                                     "# Two\nshort\n## Three\n" + section + "\n```\n" + code + "\n\n# not a heading\n\n```\n", "# Four\n"));
}

TEST(DocumentsOfText, OfADictionaryAreItsEntries) {
  const auto documents = texts(
      assembled(SourceFormat::dictd, "00-info\n   About.\n\nAbandon \\A*ban\"don\\, v.\n   To give up.\n\n   Syn: leave.\n\nAbate\n   To end.\n"));

  EXPECT_THAT(documents,
              ElementsAre("00-info\n   About.\n\n", "Abandon \\A*ban\"don\\, v.\n   To give up.\n\n   Syn: leave.\n\n", "Abate\n   To end.\n"));
}

TEST(DocumentsOfText, AreOneParagraphEachAsItemsOfAnEvaluationSet) {
  const std::string content = "Who came first?\n\nThe fox, says\nthe owl.\r\n \t\r\nWhy?\n\n\n";

  EXPECT_THAT(texts(items(SourceFormat::text, content)), ElementsAre("Who came first?\n\n", "The fox, says\nthe owl.\r\n \t\r\n", "Why?\n\n\n"));
}

TEST(DocumentsOfText, AreHeadingsListEntriesAndFencesTooAsItemsOfMarkdown) {
  const std::string code = "```\n- a\n\n# b\n```\n";

  EXPECT_THAT(
      texts(items(SourceFormat::markdown, "# Exam\nWhat is it?\n1. a kite\n   in a tree\n2) a boat\n- **none**\n\nAnswer:\n" + code + "End\n")),
      ElementsAre("# Exam\n", "What is it?\n", "1. a kite\n   in a tree\n", "2) a boat\n", "- **none**\n\n", "Answer:\n" + code + "End\n"));
}

TEST(DocumentsOfText, AreEntriesAsItemsOfADictionary) {
  EXPECT_THAT(texts(items(SourceFormat::dictd, "Abate\n   To end.\n\n   Syn: cease.\n\nAbbot\n   A head.\n")),
              ElementsAre("Abate\n   To end.\n\n   Syn: cease.\n\n", "Abbot\n   A head.\n"));
}

TEST(DocumentsOfText, OfAnEmptyOrBlankFileAreNone) {
  EXPECT_THAT(assembled(SourceFormat::text, ""), IsEmpty());
  EXPECT_THAT(assembled(SourceFormat::dictd, "\n  \n\t\n"), IsEmpty());
}

TEST(DocumentsOfText, CutALineOfAnyLengthAtSpacesOrCharacters) {
  std::string words, characters;
  while (words.size() < 1000000) words += "word" + std::to_string(words.size()) + " ";
  while (characters.size() < 1000000) characters += "\xE2\x82\xAC";
  for (const std::string& line : {words, characters}) {
    const auto documents = texts(assembled(SourceFormat::text, line));

    EXPECT_GT(documents.size(), 15u);
    std::string joined;
    for (const std::string& document : documents) {
      EXPECT_LE(document.size(), longest_document_bytes);
      EXPECT_TRUE(test::is_utf8(document));
      joined += document;
    }
    EXPECT_EQ(joined, line);
  }
  for (const std::string& document : texts(assembled(SourceFormat::text, words))) EXPECT_EQ(document.back(), ' ');
}

TEST(DocumentsOfText, GoOnInTheSameDocumentBehindAnOverlongLine) {
  const std::string line(3 * longest_document_bytes + 10, 'x');

  const auto documents = assembled(SourceFormat::dictd, "Entry\n   " + line + "\n\nNext\n");

  EXPECT_EQ(documents.back().text, "Next\n");
  EXPECT_EQ(documents.size(), 5u);
}

}   // namespace
}   // namespace lastro
