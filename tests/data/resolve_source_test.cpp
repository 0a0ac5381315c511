#include "data/resolve_source.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <ctime>

#include "core/hash.h"
#include "core/source_digest.h"
#include "data/packed.h"
#include "support/temporary_folder.h"

namespace lastro {
namespace {

using test::write_file;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

struct Resolved {
  std::optional<Source> source;
  std::string problem;
};

Resolved resolved(const TemporaryFolder& folder, const SourceSpec& declared) {
  FileDigests digests;
  Problems problems;
  Resolved result{resolve_source(declared, {"run.yaml", folder.path()}, digests, problems), ""};
  if (!problems.empty()) result.problem = problems.front().to_string();
  EXPECT_EQ(result.source.has_value(), problems.empty());
  return result;
}

SourceSpec declared(std::vector<std::string> paths) {
  SourceSpec declaration;
  declaration.name = "prose";
  declaration.mark = {4, 3};
  declaration.path = std::move(paths);
  return declaration;
}

TEST(ResolveSource, MarksAProblemAtThePathThatHasIt) {
  const TemporaryFolder folder;
  write_file(folder / "a.txt", "text");
  SourceSpec declaration = declared({"a.txt", "missing.txt"});
  declaration.path_marks = {{5, 12}, {6, 12}};

  EXPECT_THAT(resolved(folder, declaration).problem, HasSubstr("run.yaml:6:12: sources.prose: path=\"missing.txt\" is no file"));
}

TEST(ResolveSource, NamesWhatPacksFilesAndIsNotReadAndHowToUndoIt) {
  const TemporaryFolder folder;
  for (const auto& [packer, head, advice] : {std::tuple{"xz", std::string("\xfd\x37zXZ\0\0\x04", 8), "Use `xz -dc "},
                                             {"bzip2", "BZh91AY&SY", "Use `bzip2 -dc "},
                                             {"zip", "PK\x03\x04", "Use `unzip "},
                                             {"7z", "7z\xbc\xaf\x27\x1c", "Use `7z x "},
                                             {"lz4", "\x04\x22\x4d\x18", "Use `lz4 -dc "}}) {
    write_file(folder / "a.txt", head + std::string("more"));   // whatever its name

    EXPECT_THAT(resolved(folder, declared({"a.txt"})).problem,
                AllOf(HasSubstr(std::string("a.txt is packed by ") + packer + " (gzip and zstd are read"), HasSubstr(advice)));
  }
  write_file(folder / "a.txt", "PK, BZh and 7z are letters too");
  EXPECT_EQ(resolved(folder, declared({"a.txt"})).problem, "");
}

TEST(ResolveSource, FindsAFileItsFormatAndItsDigest) {
  const TemporaryFolder folder;
  write_file(folder / "a.txt", "text");
  for (const auto& [name, format] : {std::pair{"b.md", SourceFormat::markdown},
                                     {"c.jsonl", SourceFormat::jsonl},
                                     {"c.jsonl.gz", SourceFormat::jsonl},
                                     {"d.dict.dz", SourceFormat::dictd},
                                     {"e", SourceFormat::text}}) {
    const bool is_packed = std::string_view(name).ends_with('z');
    write_file(folder / name, is_packed ? test::gzip("x") : "x");
    EXPECT_EQ(resolved(folder, declared({name})).source->format, format) << name;
  }

  const Source source = *resolved(folder, declared({"a.txt"})).source;

  EXPECT_THAT(source.files, SizeIs(1));
  EXPECT_EQ(source.files[0].sha256, sha256("text"));
  EXPECT_EQ(source.files[0].bytes, 4u);
  EXPECT_EQ(digest_of(source), sha256("text"));
}

TEST(ResolveSource, OrdersFilesByContentWhateverTheirNames) {
  const TemporaryFolder one, other;
  write_file(one / "1.txt", "first"), write_file(one / "2.txt", "second"), write_file(one / "3.txt", "third");
  write_file(other / "c.txt", "first"), write_file(other / "a.txt", "second"), write_file(other / "b.txt", "third");

  const Source a = *resolved(one, declared({"*.txt"})).source, b = *resolved(other, declared({"*.txt"})).source;

  ASSERT_THAT(a.files, SizeIs(3));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(a.files[i].sha256, b.files[i].sha256);
  EXPECT_EQ(digest_of(a), digest_of(b));
}

TEST(ResolveSource, SaysWhatIsWrongAndWhere) {
  const TemporaryFolder folder;
  write_file(folder / "a.txt", "a"), write_file(folder / "b.jsonl", "{}");

  EXPECT_THAT(resolved(folder, declared({"missing.txt"})).problem, HasSubstr("run.yaml:4:3: sources.prose: path=\"missing.txt\" is no file"));
  EXPECT_THAT(resolved(folder, declared({"*.pdf"})).problem,
              AllOf(HasSubstr("matches no file"), HasSubstr("). Mend the pattern, or fetch the files")));
  EXPECT_THAT(resolved(folder, declared({"."})).problem, HasSubstr("is a folder"));
  EXPECT_THAT(resolved(folder, declared({})).problem, HasSubstr("no path"));
  EXPECT_THAT(resolved(folder, declared({"*.*"})).problem, HasSubstr("a source has one format"));
}

TEST(ResolveSource, HoldsANameToItsBytesWhateverIsKnownOfThem) {
  const TemporaryFolder folder;
  write_file(folder / "a.txt", "plain");
  std::filesystem::create_hard_link(folder / "a.txt", folder / "a.txt.gz");

  EXPECT_TRUE(resolved(folder, declared({"a.txt"})).source);
  EXPECT_THAT(resolved(folder, declared({"a.txt.gz"})).problem,
              AllOf(HasSubstr("run.yaml:4:3: sources.prose: "), HasSubstr("is named as gzip data and is none")));
}

TEST(ResolveSource, SaysHowMuchTextAPackedFileHolds) {
  const TemporaryFolder folder;
  const std::string packed = test::gzip(std::string(5000, 'a'));
  write_file(folder / "a.txt.gz", packed);

  const Source source = *resolved(folder, declared({"a.txt.gz"})).source;

  EXPECT_EQ(source.files[0].bytes, packed.size());
  EXPECT_EQ(source.files[0].text_bytes, 5000u);
}

TEST(ResolveSource, TakesAFileOnceThatSeveralPathsName) {
  const TemporaryFolder folder;
  write_file(folder / "a.txt", "a"), write_file(folder / "b.txt", "b");
  std::filesystem::create_symlink("a.txt", folder / "link.txt");
  std::filesystem::create_directory_symlink(".", folder / "here");

  EXPECT_THAT(resolved(folder, declared({"a.txt", "*.txt"})).source->files, SizeIs(2));
  for (const char* other_name : {"a.txt", "./a.txt", "here/a.txt", "link.txt"})
    EXPECT_THAT(resolved(folder, declared({"a.txt", other_name})).source->files, SizeIs(1)) << other_name;
  EXPECT_THAT(resolved(folder, declared({(folder / "a.txt").string(), "a.txt"})).source->files, SizeIs(1));
}

TEST(ResolveSource, SaysWhatAPathIsThatIsNoFile) {
  const TemporaryFolder folder;
  write_file(folder / "a.txt", "a");
  ASSERT_EQ(::mkfifo((folder / "pipe.txt").c_str(), 0600), 0);
  std::filesystem::create_symlink("gone/away.md", folder / "link.md");
  std::filesystem::create_symlink("loop.md", folder / "loop.md");

  for (const char* name : {"pipe.txt", "*.txt"})
    EXPECT_THAT(resolved(folder, declared({name})).problem, AllOf(HasSubstr("pe.txt"), HasSubstr("is a pipe (a source is read several times")))
        << name;
  for (const char* name : {"link.md", "li*.md"})
    EXPECT_THAT(resolved(folder, declared({name})).problem, HasSubstr("is a link to gone/away.md (nothing is there)")) << name;
  EXPECT_THAT(resolved(folder, declared({"loop.md"})).problem, HasSubstr("cannot be looked at (Too many levels of symbolic links)"));
  EXPECT_THAT(resolved(folder, declared({"/dev/null"})).problem, HasSubstr("is a device"));
}

TEST(ResolveSource, MakesStoriesWithoutAFile) {
  const TemporaryFolder folder;
  SourceSpec declaration = declared({});
  declaration.generated = GeneratedText{GeneratedKind::stories, 3, 5000};

  const Source source = *resolved(folder, declaration).source;

  EXPECT_EQ(source.generated_bytes, 5000u);
  EXPECT_THAT(source.files, IsEmpty());
  declaration.path = {"a.txt"};
  EXPECT_THAT(resolved(folder, declaration).problem, HasSubstr("text that is generated is not read"));
}

void set_age(const std::filesystem::path& file, int seconds) {
  const timespec time{::time(nullptr) - seconds, 0};
  const timespec times[2]{time, time};
  ::utimensat(AT_FDCWD, file.c_str(), times, 0);
}

TEST(FileDigests, DoNotRememberAFileThatMayStillChangeUnseen) {
  const TemporaryFolder folder;
  write_file(folder / "a.txt", "one");
  set_age(folder / "a.txt", 100);   // its change time stays now
  FileDigests digests(folder / "cache");

  EXPECT_EQ(digests.of(folder / "a.txt").sha256, sha256("one"));
  write_file(folder / "a.txt", "two");
  set_age(folder / "a.txt", 100);

  EXPECT_EQ(digests.of(folder / "a.txt").sha256, sha256("two"));
}

TEST(FileDigests, SurviveADamagedCache) {
  const TemporaryFolder folder;
  write_file(folder / "a.txt", "one");
  write_file(folder / "cache", "garbage \x01\x02 not-a-digest\nmore\n1.2.3. " + sha256("of another version's line").hex() + "\n");
  FileDigests digests(folder / "cache");

  EXPECT_EQ(digests.of(folder / "a.txt").sha256, sha256("one"));
  digests.save();
}

}   // namespace
}   // namespace lastro
