#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/build_dataset.h"
#include "data/made_texts.h"

// What a dataset cannot be made of: each is named, and how to mend it.
namespace lastro {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using namespace test;

TEST(Dataset, StopsWhenThereIsNoText) {
  DatasetBench bench;
  Source empty;
  empty.name = "empty";
  empty.files = {write_file(bench.file("empty.txt"), ""), write_file(bench.file("blank.txt"), "\n \n\0\n")};
  Making how = usual();
  for (how.ranks = 1; how.ranks <= 2; ++how.ranks)
    EXPECT_THAT(contract_broken_by([&] { bench.make(how, {empty}); }), HasSubstr("there is no text in empty"));
}

TEST(Dataset, StopsWhenAllDocumentsAreOneText) {
  DatasetBench bench;
  const std::string text = texts_from(1, 1)[0];
  Making how = usual();
  how.ranks = 2;

  EXPECT_THAT(contract_broken_by([&] { bench.make(how, {bench.rows("prose", {std::vector<std::string>(50, text)})}); }),
              HasSubstr("the 50 documents of prose are one text again and again (49 are duplicates"));
  how.settings.dedup.exact = how.settings.dedup.near = false;
  how.settings.held_out = 0;
  EXPECT_EQ(contract_broken_by([&] { bench.make(how, {bench.rows("prose", {std::vector<std::string>(50, text)})}); }), "no error");
}

TEST(Dataset, StopsWhenNothingCanBeHeldOut) {
  DatasetBench bench;
  const auto texts = texts_from(1, 1);
  Making how = usual();
  how.ranks = 2;

  EXPECT_THAT(contract_broken_by([&] { bench.make(how, {bench.rows("prose", {texts})}); }),
              AllOf(HasSubstr("nothing of prose can be held out"), HasSubstr("held_out=0.1"), HasSubstr("set held_out: 0")));
  how.settings.dedup.exact = how.settings.dedup.near = false;
  EXPECT_THAT(contract_broken_by([&] {
                bench.make(how, {bench.rows("prose", {{texts[0], texts[0]}})});
              }),
              HasSubstr("nothing of prose can be held out"));
  how.settings.held_out = 0;
  EXPECT_EQ(contract_broken_by([&] { bench.make(how, {bench.rows("prose", {texts})}); }), "no error");
}

TEST(Dataset, StopsWhenNothingIsLeftBesideTheEvaluationItems) {
  DatasetBench bench;
  const auto texts = texts_from(1, 20);

  EXPECT_THAT(contract_broken_by([&] { bench.make(usual(), {bench.rows("prose", {texts})}, {bench.rows("exam", {texts})}); }),
              HasSubstr("20 of 20 hold evaluation items"));
}

TEST(Dataset, TellsOfMalformedRowsAndStopsAtTooMany) {
  DatasetBench bench;
  std::string content;
  for (int i = 0; i < 500; ++i)
    content += i % 100 == 7 ? "{\"broken\n" : "{\"text\": \"" + joined(words_of(static_cast<std::uint64_t>(i), 20)) + "\"}\n";
  Source rows;
  rows.name = "rows";
  rows.format = SourceFormat::jsonl;
  rows.files = {write_file(bench.file("rows.jsonl"), content)};
  Making how = usual();
  how.ranks = 3;

  bench.make(how, {rows});

  EXPECT_EQ(count(bench.summary, "malformed_rows"), 5);
  EXPECT_THAT(bench.tracker.events,
              Contains(AllOf(HasSubstr("5 of 500 rows are malformed"), HasSubstr("rows.jsonl:8: not JSON"), HasSubstr("rows.jsonl:408:"))));
  Source wrong = rows;
  wrong.name = "wrong";
  wrong.files = {write_file(bench.file("wrong.jsonl"), "{\"body\": \"a\", \"id\": 1}\n{\"body\": \"b\"}\n")};
  EXPECT_THAT(contract_broken_by([&] {
                bench.make(how, {rows, wrong});
              }),
              AllOf(HasSubstr("2 of 2 rows are malformed: "), HasSubstr("wrong.jsonl:1: no field \"text\" (the row has \"body\", \"id\")"),
                    HasSubstr("sources.wrong.text_field")));
  for (int i = 0; i < 8; ++i) content += "[]\n";
  rows.files = {write_file(bench.file("rows.jsonl"), content)};
  EXPECT_THAT(contract_broken_by([&] { bench.make(how, {rows}); }), HasSubstr("13 of 508 rows are malformed"));
}

TEST(Dataset, ReadsWhatIsNotUtf8AndTells) {
  DatasetBench bench;
  Source latin;
  latin.name = "latin";
  latin.files = {
      write_file(bench.file("latin.txt"), std::string(2100, 'a') + "\n\ncaf\xE9 \x93quoted\x94 and a NUL" + std::string(1, '\0') + " byte\n")};
  Making how = usual();
  how.settings.held_out = 0;

  const auto texts = texts_of(bench.make(how, {latin}), Split::train);

  EXPECT_THAT(texts, Contains("caf\xC3\xA9 \xE2\x80\x9Cquoted\xE2\x80\x9D and a NUL byte"));
  EXPECT_THAT(bench.tracker.events,
              Contains(AllOf(HasSubstr("source latin: 3 bytes are not UTF-8"), HasSubstr("1 control bytes"), HasSubstr("latin.txt"))));
  EXPECT_EQ(count(bench.summary, "invalid_utf8_bytes"), 3);
  EXPECT_EQ(count(bench.summary, "control_bytes"), 1);
}

// The languages of Latin-1 with the most letters beyond ASCII: more than a tenth.
TEST(Dataset, ReadsLatin1OfManyAccents) {
  DatasetBench bench;
  Source sagas;
  sagas.name = "sagas";
  std::string text = texts_from(1, 1, 4000)[0];
  for (std::size_t i = 0; i < text.size(); i += 6)
    if (text[i] != ' ') text[i] = static_cast<char>(0xF0);
  sagas.files = {write_file(bench.file("sagas.txt"), text)};
  Making how = usual();
  how.settings.held_out = 0;

  bench.make(how, {sagas});

  EXPECT_THAT(bench.tracker.events, Contains(HasSubstr("are not UTF-8 (read as Windows-1252), in")));
  EXPECT_GT(count(bench.summary, "invalid_utf8_bytes") * 10, count(bench.summary, "text_bytes"));
}

// Something like a program, a text of another alphabet, and one of two bytes a character.
TEST(Dataset, StopsAtWhatIsNoText) {
  DatasetBench bench;
  const std::string prose = texts_from(1, 1, 400)[0];
  std::string binary, cyrillic, utf_16;
  for (int i = 0; i < 9000; ++i) binary += static_cast<char>(i * i % 251);
  for (int i = 0; i < 9000; ++i) cyrillic += i % 6 == 5 ? ' ' : static_cast<char>(0xE0 + i * i % 32);
  for (const char c : prose) utf_16 += {c, '\0'};
  for (const auto& [name, content] : {std::pair{"program", binary}, {"windows-1251", cyrillic}, {"utf-16", utf_16}}) {
    Source mixed;
    mixed.name = "mixed";
    mixed.files = {write_file(bench.file("prose.txt"), prose), write_file(bench.file(std::string(name) + ".txt"), content)};
    Making how = usual();
    how.ranks = 2;

    EXPECT_THAT(
        contract_broken_by([&] { bench.make(how, {mixed}); }),
        AllOf(HasSubstr("source mixed: "), HasSubstr(std::string(name) + ".txt (so many that it is no text, or is written in another encoding)"),
              HasSubstr("iconv"), HasSubstr("sources.mixed"), Not(HasSubstr("prose.txt"))));
  }
}

// Each character two bytes: letters, Cyrillic ones among them.
TEST(Dataset, NamesUtf16AndHowToConvertIt) {
  DatasetBench bench;
  const std::string rows = "{\"text\": \"" + texts_from(1, 1, 400)[0] + "\"}\n";
  std::string little = "\xFF\xFE", big = "\xFE\xFF", cyrillic;
  for (const char c : rows) little += {c, '\0'};
  for (const char c : rows) big += {'\0', c};
  for (int i = 0; i < 3000; ++i) cyrillic += i % 6 == 5 ? std::string(" \0", 2) : std::string{static_cast<char>(0x30 + i * i % 32), '\4'};
  const Making how = usual();
  for (const SourceFormat format : {SourceFormat::text, SourceFormat::jsonl})
    for (const auto& [content, encoding] :
         {std::pair{little, "UTF-16 "}, {big, "UTF-16 "}, {little.substr(2), "UTF-16LE "}, {big.substr(2), "UTF-16BE "}, {cyrillic, "UTF-16LE "}}) {
      Source notes;
      notes.name = "notes";
      notes.format = format;
      notes.files = {write_file(bench.file("good.txt"), ""), write_file(bench.file("notes.txt"), content)};

      EXPECT_THAT(contract_broken_by([&] { bench.make(how, {notes}); }),
                  AllOf(HasSubstr("notes.txt is UTF-16 "), HasSubstr(std::string("Convert it, as with `iconv -f ") + encoding + "-t UTF-8 "),
                        Not(HasSubstr("text_field"))))
          << encoding;
    }
}

TEST(Dataset, StopsOnEveryRankWhenAFileChangedSinceThePlan) {
  DatasetBench bench;
  Source prose = bench.rows("prose", {texts_from(1, 300)});
  std::string content = read_file(prose.files[0].path);
  content[content.size() - 5] ^= 1;
  write_file(prose.files[0].path, content);
  Making how = usual();
  how.ranks = 4;

  EXPECT_THAT(contract_broken_by([&] { bench.make(how, {prose}); }), HasSubstr("is not the file that was planned"));
}

TEST(Dataset, RefusesTwoSourcesOfOneName) {
  DatasetBench bench;
  const Source prose = bench.rows("prose", {texts_from(1, 3)});

  EXPECT_THAT(contract_broken_by([&] {
                bench.make(usual(), {prose, prose});
              }),
              HasSubstr("prose is listed twice (its shards would have one name). Name each source once"));
}

}   // namespace
}   // namespace lastro
