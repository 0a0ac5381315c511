#include "infra/posix/folder_store.h"

#include <gmock/gmock.h>

#include <fstream>

#include "core/files.h"
#include "core/hash.h"
#include "core/sealed_json.h"
#include "domain/errors.h"
#include "tests/support/temporary_folder.h"

namespace lastro {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class FolderStoreTest : public testing::Test {
 protected:
  // Makes an artifact of two files, as a stage would.
  Digest make(const Digest& key, const std::string& words) {
    const fs::path folder = store.begin(key);
    fs::create_directories(folder / "shards");
    std::ofstream(folder / "shards" / "a.bin") << words;
    std::ofstream(folder / "index.json") << "{}";
    ArtifactRecord artifact{
        ArtifactType::dataset, {}, {{"index.json", 2, sha256("{}")}, {"shards/a.bin", words.size(), sha256(words)}}, Node::mapping()};
    artifact.summary.set("tokens", 3);
    artifact.digest = digest_of_files(artifact.type, artifact.files);
    store.commit(artifact, {.key = key, .artifact = artifact.digest});
    return artifact.digest;
  }

  // Writes into a file of the store, as a bad disk would.
  static void overwrite(const fs::path& path, const std::string& text) {
    fs::permissions(path, fs::perms::owner_write, fs::perm_options::add);
    std::ofstream(path, std::ios::trunc) << text;
  }

  TemporaryFolder folder;
  FolderStore store{folder / "store"};
  const Digest key = sha256("a key");
};

TEST_F(FolderStoreTest, IsEmptyBeforeItExists) {
  EXPECT_FALSE(store.find_key(key));
  EXPECT_FALSE(store.find_artifact(key));
  EXPECT_THAT(store.artifacts(), IsEmpty());
  EXPECT_FALSE(fs::exists(store.root()));
}

TEST_F(FolderStoreTest, FindsWhatWasCommitted) {
  const Digest digest = make(key, "words");

  EXPECT_EQ(store.find_key(key)->artifact, digest);
  EXPECT_EQ(store.find_artifact(digest)->summary.at("tokens").integer(), 3);
  EXPECT_EQ(read_file(store.folder_of(digest) / "shards/a.bin"), "words");
  EXPECT_THAT(store.verify(digest), IsEmpty());
  EXPECT_THAT(store.artifacts(), SizeIs(1));
}

TEST_F(FolderStoreTest, KeepsOneCopyOfEqualContent) {
  const Digest first = make(key, "words");
  const Digest second = make(sha256("another key"), "words");

  EXPECT_EQ(first, second);
  EXPECT_THAT(store.artifacts(), SizeIs(1));
  EXPECT_THAT(store.keys(), SizeIs(2));
}

TEST_F(FolderStoreTest, MakesGoodWhatWasDamagedWhenItIsMadeAgain) {
  const Digest digest = make(key, "words");
  overwrite(store.folder_of(digest) / "shards/a.bin", "worms");

  make(key, "words");

  EXPECT_THAT(store.verify(digest), IsEmpty());
}

TEST_F(FolderStoreTest, ForgetsAnUnfinishedArtifact) {
  std::ofstream(store.begin(key) / "half") << "x";

  EXPECT_TRUE(fs::is_empty(store.begin(key)));
  EXPECT_FALSE(store.find_key(key));
}

TEST_F(FolderStoreTest, NamesEachDamagedFile) {
  const Digest digest = make(key, "words");
  const fs::path shard = store.folder_of(digest) / "shards/a.bin";

  overwrite(shard, "wordz");
  ASSERT_THAT(store.verify(digest), SizeIs(1));
  EXPECT_EQ(store.verify(digest)[0].file, shard.string());
  EXPECT_EQ(store.verify(digest)[0].found, sha256("wordz").to_string());

  overwrite(shard, "word");
  EXPECT_EQ(store.verify(digest)[0].found, "4 bytes");

  fs::remove(shard);
  EXPECT_EQ(store.verify(digest)[0].found, "no file");

  std::ofstream(store.folder_of(digest) / "stray") << "?";
  EXPECT_THAT(store.verify(digest), SizeIs(2));
}

TEST_F(FolderStoreTest, FindsAnyFlippedByteOfItsOwnRecords) {
  const Digest digest = make(key, "words");
  const fs::path record = store.folder_of(digest) / "artifact.json";
  const std::string good = read_file(record);

  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] ^= 1;
    overwrite(record, bad);
    EXPECT_THROW(store.find_artifact(digest), Error) << "byte " << i << " '" << good[i] << "'";
    EXPECT_THAT(store.verify(digest), SizeIs(1)) << "byte " << i;
  }
  overwrite(record, good);
  EXPECT_THAT(store.verify(digest), IsEmpty());
}

TEST_F(FolderStoreTest, RefusesAKeyFileUnderAnotherName) {
  make(key, "words");
  const Digest other = sha256("another key");
  fs::copy(store.root() / "keys" / (key.hex() + ".json"), store.root() / "keys" / (other.hex() + ".json"));

  EXPECT_THROW(store.find_key(other), ContractError);
}

TEST_F(FolderStoreTest, RefusesASealedRecordOfAnotherForm) {
  const Digest digest = make(key, "words");
  Node other = Node::mapping();
  other.set("format", "lastro-artifact-9");
  fs::permissions(store.folder_of(digest) / "artifact.json", fs::perms::owner_write, fs::perm_options::add);
  write_sealed_json(store.folder_of(digest) / "artifact.json", other);
  write_sealed_json(store.root() / "keys" / (key.hex() + ".json"), other);

  EXPECT_THROW(store.find_key(key), ContractError);
  EXPECT_THROW(store.find_artifact(digest), ContractError);
  EXPECT_THAT(store.verify(digest), SizeIs(1));
}

TEST(DigestOfFiles, TellsApartWhereNamesAndTypesDiffer) {
  const std::vector<ArtifactFile> files{{"a", 1, sha256("x")}, {"b", 1, sha256("y")}};
  const std::vector<ArtifactFile> renamed{{"a", 1, sha256("x")}, {"c", 1, sha256("y")}};

  EXPECT_NE(digest_of_files(ArtifactType::dataset, files), digest_of_files(ArtifactType::dataset, renamed));
  EXPECT_NE(digest_of_files(ArtifactType::dataset, files), digest_of_files(ArtifactType::tokenizer, files));
}

}   // namespace
}   // namespace lastro
