#include "app/verification.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>

#include "app/run_access.h"
#include "run_example.h"

namespace lastro {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
namespace fs = std::filesystem;

// A finished run of two stages on a text of two files and generated ones.
struct VerifiedRun : RunExample {
  VerifiedRun() {
    write_file(folder / "a.txt", "Once upon a time.\n");
    write_file(folder / "b.txt", "There was a kite.\n");
    Sha256 both;
    std::vector<Digest> digests{sha256_file(folder / "a.txt"), sha256_file(folder / "b.txt")};
    std::sort(digests.begin(), digests.end());
    for (const Digest& digest : digests) both.update(std::as_bytes(std::span(digest.bytes)));
    RunRecord record = RunRecord::begin(run, tree_of("name: example\nsources:\n  prose: {path: '*.txt', sha256: '" + both.finish().to_string() +
                                                     "'}\n  tales: {generated: {kind: stories}}\nstages:\n"
                                                     "  01_vocabulary: {kind: vocabulary, inputs: {text: [prose, tales]}}\n"
                                                     "  02_tokenizer: {kind: tokenizer, inputs: {vocabulary: 01_vocabulary}}\n"));
    vocabulary = put(ArtifactType::vocabulary, "key of 01", "words", Node::mapping());
    enter(record, "01_vocabulary", "key of 01", vocabulary, 0);
    enter(record, "02_tokenizer", "key of 02", put(ArtifactType::tokenizer, "key of 02", "merges", Node::mapping()), 0);
    Node machine;
    machine.set("store", store.root().string());
    machine.set("folder", folder.path().string());
    record.note("machine", machine);
  }

  Findings look() const { return verify_run(open_run({.subject = run})); }

  // The only damage, in words: file, what, remedy.
  std::string damage() const {
    const Findings findings = look();
    if (findings.damages.size() != 1) return std::to_string(findings.damages.size()) + " damages";
    const Finding& one = findings.damages.front();
    return one.damage.file + " | " + one.damage.detail + " | " + one.damage.wanted + " | " + one.damage.found + " | " + one.remedy;
  }

  void overwrite(const fs::path& file, const std::string& text) const {
    std::error_code none;
    fs::permissions(file, fs::perms::owner_all, none);
    std::ofstream(file) << text;
  }

  ArtifactRecord vocabulary;
};

TEST(VerifyRun, FindsNothingWhereNothingWasTouched) {
  const VerifiedRun example;
  const Findings findings = example.look();

  EXPECT_THAT(findings.damages, IsEmpty());
  EXPECT_THAT(findings.unfinished, IsEmpty());
  EXPECT_EQ(findings.artifacts, 2);
  EXPECT_EQ(findings.sources, 1) << "what is generated has no files";
}

TEST(VerifyRun, NamesASourceThatIsNotTheTextThatWasRead) {
  const VerifiedRun example;
  example.overwrite(example.folder / "b.txt", "There was a boat.\n");

  EXPECT_THAT(example.damage(), AllOf(HasSubstr("*.txt | source prose, 2 files | sha256:"), HasSubstr("bring back the text")));

  fs::remove(example.folder / "a.txt");
  fs::remove(example.folder / "b.txt");
  EXPECT_THAT(example.damage(), AllOf(HasSubstr("matches no file"), HasSubstr("no such text")));
}

TEST(VerifyRun, SaysWhatToRemoveForADamagedArtifactAndWhoMakesItAnew) {
  const VerifiedRun example;
  example.overwrite(example.store.folder_of(example.vocabulary.digest) / "content.txt", "wards");

  EXPECT_THAT(example.damage(), AllOf(HasSubstr("content.txt"), HasSubstr(sha256("words").to_string()), HasSubstr(sha256("wards").to_string()),
                                      HasSubstr("remove " + example.store.folder_of(example.vocabulary.digest).string() +
                                                ", and the same run command makes 01_vocabulary anew")));
}

TEST(VerifyRun, SaysWhatToRemoveWhereARecordOfTheStoreIsDamaged) {
  const VerifiedRun example;
  const fs::path folder = example.store.folder_of(example.vocabulary.digest);
  example.overwrite(folder / "artifact.json", "{}");
  EXPECT_THAT(example.damage(),
              AllOf(HasSubstr("artifact.json"), HasSubstr("remove " + folder.string() + ", and the same run command makes 01_vocabulary anew")));

  fs::remove_all(folder);
  EXPECT_THAT(example.damage(), AllOf(HasSubstr("no artifact"), HasSubstr("makes 01_vocabulary again")));
}

TEST(VerifyRun, LooksAtArtifactsKeysAndRunsThatAreOfOtherRuns) {
  VerifiedRun example;
  const ArtifactRecord other = example.put(ArtifactType::dataset, "key of another", "tokens", Node::mapping());
  example.store.remember_run("/some/where");
  EXPECT_THAT(example.look().damages, IsEmpty());

  example.overwrite(example.store.folder_of(other.digest) / "content.txt", "takens");
  EXPECT_THAT(example.damage(), HasSubstr("remove " + example.store.folder_of(other.digest).string() + ", and the run that made it makes it anew"));
  example.overwrite(example.store.folder_of(other.digest) / "content.txt", "tokens");

  const fs::path key = example.store.root() / "keys" / (sha256("key of another").hex() + ".json");
  const std::string whole = read_file(key);
  example.overwrite(key, whole + " ");
  EXPECT_THAT(example.damage(), AllOf(HasSubstr(key.string()), HasSubstr("remove this file")));
  example.overwrite(key, whole);

  example.overwrite(example.store.root() / "runs" / sha256("/some/where").hex(), "/some/there");
  EXPECT_THAT(example.damage(), AllOf(HasSubstr("holds \"/some/there\""), HasSubstr("remove this file, and run again what used this store")));
}

TEST(GlanceAtRun, NamesFilesOfAnotherSizeAndSaysWhatVerifySaysOfThem) {
  const VerifiedRun example;
  const fs::path file = example.store.folder_of(example.vocabulary.digest) / "content.txt";
  EXPECT_THAT(glance_at_run(open_run({.subject = example.run}), false), IsEmpty());

  example.overwrite(file, "wor");
  const std::vector<Finding> cut = glance_at_run(open_run({.subject = example.run}), false);
  ASSERT_EQ(cut.size(), 1u);
  EXPECT_EQ(cut[0].damage.file + " | " + cut[0].damage.detail + " | " + cut[0].damage.wanted + " | " + cut[0].damage.found + " | " + cut[0].remedy,
            example.damage());
  EXPECT_EQ(cut[0].damage.wanted, "5 bytes");
  EXPECT_EQ(cut[0].damage.found, "3 bytes");

  fs::remove(file);
  EXPECT_EQ(glance_at_run(open_run({.subject = example.run}), false).at(0).damage.found, "no file");
}

TEST(VerifyRun, TellsInterruptedSavesFromDamagedOnes) {
  const VerifiedRun example;
  const fs::path saves = example.run / "checkpoints";
  fs::create_directories(saves / "step-000010");
  fs::create_directories(saves / "step-000020");
  write_file(saves / "step-000020" / "VERIFIED", "sha256:0\n");

  const Findings findings = example.look();

  EXPECT_THAT(findings.unfinished, ElementsAre(AllOf(HasSubstr("step-000010"), HasSubstr("never committed"))));
  ASSERT_EQ(findings.damages.size(), 1u);
  EXPECT_THAT(findings.damages[0].damage.file, HasSubstr("step-000020/index.json"));
}

}   // namespace
}   // namespace lastro
