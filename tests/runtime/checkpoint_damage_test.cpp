#include <gmock/gmock.h>
#include <sys/mount.h>

#include <cstdlib>

#include "core/checkpoint_reader.h"
#include "domain/errors.h"
#include "runtime/checkpoint_run.h"

namespace lastro {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

// Two good checkpoints at 2 ranks; the newer one is there to be damaged.
struct TwoSaves {
  MemoryFolder folder;
  TestRun run{folder / "checkpoints", 2, 3};
  std::filesystem::path newer = run.folder / "step-000002";
  TwoSaves() { save_steps(run, {1, 2}); }
};

// Damage that is found, passed over, and undone again.
void expect_found(const TwoSaves& saves, const std::filesystem::path& file, const std::string& damaged, const std::string& what) {
  const std::string whole = bytes_of_file(file);
  const std::string marker = bytes_of_file(saves.newer / "VERIFIED");
  put_file(file, damaged);

  const auto damages = verify_checkpoint(saves.newer);
  ASSERT_FALSE(damages.empty()) << what;
  EXPECT_THAT(damages.front().file, HasSubstr(file.filename().string())) << what;
  EXPECT_EQ(load(saves.run).step, 1) << what;

  put_file(file, whole);
  put_file(saves.newer / "VERIFIED", marker);
}

TEST(CheckpointDamage, OfAnyByteOfAShardIsFound) {
  const TwoSaves saves;
  const std::filesystem::path shard = saves.newer / "rank-00-of-02.h5";
  const std::string whole = bytes_of_file(shard);
  // verify alone is quick: a close sample; loading, which starts ranks, for fewer
  for (std::size_t byte = 0; byte < whole.size(); byte += 13) {
    flip_bit(shard, byte, static_cast<int>(byte % 8));
    ASSERT_FALSE(verify_checkpoint(saves.newer).empty()) << "byte " << byte;
    flip_bit(shard, byte, static_cast<int>(byte % 8));
  }
  ASSERT_THAT(verify_checkpoint(saves.newer), IsEmpty());
  for (std::size_t byte = 0; byte < whole.size(); byte += whole.size() / 24) {
    std::string damaged = whole;
    damaged[byte] = static_cast<char>(damaged[byte] ^ 0x10);
    expect_found(saves, shard, damaged, "byte " + std::to_string(byte));
  }
}

TEST(CheckpointDamage, OfAnyByteOfTheIndexIsFound) {
  const TwoSaves saves;
  const std::filesystem::path index = saves.newer / "index.json";
  const std::string whole = bytes_of_file(index);
  for (std::size_t byte = 0; byte < whole.size(); ++byte) {
    flip_bit(index, byte, static_cast<int>(byte % 8));
    ASSERT_FALSE(verify_checkpoint(saves.newer).empty()) << "byte " << byte;
    flip_bit(index, byte, static_cast<int>(byte % 8));
  }
  for (std::size_t byte = 0; byte < whole.size(); byte += whole.size() / 12) {
    std::string damaged = whole;
    damaged[byte] = static_cast<char>(damaged[byte] ^ 0x01);
    expect_found(saves, index, damaged, "byte " + std::to_string(byte));
  }
}

TEST(CheckpointDamage, OfAnyLengthIsFound) {
  const TwoSaves saves;
  for (const char* name : {"rank-01-of-02.h5", "index.json"}) {
    const std::string whole = bytes_of_file(saves.newer / name);
    for (const std::size_t length : {std::size_t{0}, std::size_t{1}, std::size_t{100}, whole.size() / 2, whole.size() - 1})
      expect_found(saves, saves.newer / name, whole.substr(0, length), std::string(name) + " cut to " + std::to_string(length));
    expect_found(saves, saves.newer / name, whole + '\0', std::string(name) + " longer by a byte");
  }
}

TEST(CheckpointDamage, OfAMissingShardIsFound) {
  const TwoSaves saves;
  std::filesystem::remove(saves.newer / "rank-01-of-02.h5");

  const auto damages = verify_checkpoint(saves.newer);

  ASSERT_EQ(damages.size(), 1u);
  EXPECT_THAT(damages[0].file, HasSubstr("rank-01-of-02.h5"));
  EXPECT_THAT(damages[0].detail, HasSubstr("No such file"));
  EXPECT_EQ(load(saves.run).step, 1);
}

TEST(CheckpointDamage, OfAShardOfAnotherStepIsFound) {
  const TwoSaves saves;
  std::filesystem::copy_file(saves.run.folder / "step-000001/rank-00-of-02.h5", saves.newer / "rank-00-of-02.h5",
                             std::filesystem::copy_options::overwrite_existing);

  EXPECT_FALSE(verify_checkpoint(saves.newer).empty());
  EXPECT_EQ(load(saves.run).step, 1);
}

TEST(CheckpointDamage, IsNamedTileByTile) {
  const TwoSaves saves;
  const std::filesystem::path shard = saves.newer / "rank-00-of-02.h5";
  std::vector<float> unit(1000);
  CheckpointReader(saves.newer).read("weights", "embedding", unit);
  for (const std::size_t element : {0, 130}) {   // tiles 0 and 2
    const std::size_t at = bytes_of_file(shard).find(std::string(reinterpret_cast<const char*>(&unit[element]), 16));
    ASSERT_NE(at, std::string::npos);
    flip_bit(shard, at);
  }

  const auto damages = verify_checkpoint(saves.newer);

  ASSERT_EQ(damages.size(), 2u);
  EXPECT_EQ(damages[0].detail, "dataset /weights/embedding, tile 0 (elements 0 to 64)");
  EXPECT_EQ(damages[1].detail, "dataset /weights/embedding, tile 2 (elements 128 to 192)");
  EXPECT_THAT(damages[1].wanted, HasSubstr("sha256:"));
  EXPECT_NE(damages[1].wanted, damages[1].found);
}

TEST(CheckpointDamage, OfTheLogicalDigestIsFoundBehindAValidSeal) {
  const TwoSaves saves;
  const std::string text = bytes_of_file(saves.newer / "index.json");
  CheckpointIndex index = parse_index(text, "index.json");
  index.content.bytes[0] ^= 1;
  put_file(saves.newer / "index.json", to_text(index));

  const auto damages = verify_checkpoint(saves.newer);

  ASSERT_EQ(damages.size(), 2u);
  EXPECT_EQ(damages[0].detail, "the mark of having been read back");   // it is of another index
  EXPECT_EQ(damages[1].detail, "the digest of the logical state");
}

TEST(CheckpointIndex, IsReadBackAsItWasWritten) {
  const TwoSaves saves;
  const std::string text = bytes_of_file(saves.newer / "index.json");

  EXPECT_EQ(to_text(parse_index(text, "index.json")), text);
}

// Random changes of the text, and changes of single values behind a valid seal: never a crash, always a clear error or a sound index.
TEST(CheckpointIndex, RefusesNonsense) {
  const TwoSaves saves;
  const std::string text = bytes_of_file(saves.newer / "index.json");
  std::uint64_t draw = 0;
  const auto random = [&](std::uint64_t below) { return random_u64(3, Purpose::test, ++draw) % below; };
  for (int i = 0; i < 3000; ++i) {
    std::string changed = text;
    for (std::uint64_t changes = 1 + random(4); changes > 0; --changes) {
      const std::size_t at = random(changed.size());
      switch (random(4)) {
        case 0: changed[at] = static_cast<char>(random(256)); break;
        case 1: changed.erase(at, 1 + random(40)); break;
        case 2: changed.insert(at, changed.substr(random(changed.size()), random(40))); break;
        case 3: changed[at] = "0123456789\"[]{},-:"[random(18)]; break;
      }
      if (changed.empty()) break;
    }
    if (changed == text) continue;
    EXPECT_THROW(parse_index(changed, "index.json"), ContractError) << changed;
  }
}

TEST(CheckpointIndex, RefusesPlacesThatMakeNoSense) {
  const TwoSaves saves;
  const CheckpointIndex good = parse_index(bytes_of_file(saves.newer / "index.json"), "index.json");
  const auto refused = [&](auto change, const char* why) {
    CheckpointIndex bad = good;
    change(bad);
    try {
      parse_index(to_text(bad), "index.json");
      ADD_FAILURE() << "taken: " << why;
    } catch (const ContractError& error) {
      EXPECT_THAT(error.what(), AllOf(HasSubstr("index.json"), HasSubstr(why)));
    }
  };
  refused([](auto& index) { index.shards[0].places.data[0][0] = index.shards[0].places.data[1][0]; }, "over each other");
  refused([](auto& index) { index.shards[0].places.data[0][0] = ShardPlaces::nowhere; }, "over each other");
  refused([](auto& index) { index.shards[1].places.file_bytes = 100; }, "behind its end");
  refused([](auto& index) { index.shards[1].places.tile_digests = index.shards[1].places.file_bytes - 1; }, "");
  refused([](auto& index) { index.shards[1].file = "../../../etc/passwd"; }, "rank-01-of-02.h5 belongs");
  refused([](auto& index) { index.shards.pop_back(); }, "shards");
  refused([](auto& index) { index.world = 3; }, "shards");
  refused([](auto& index) { index.world = 0; }, "world");
  refused([](auto& index) { index.step.value = -1; }, "step");
  refused([](auto& index) { index.layout.tile_elements = 0; }, "tile_elements");
  refused([](auto& index) { index.layout.units[0].elements = std::int64_t{1} << 60; }, "units");
  refused([](auto& index) { index.layout.units[1].name = index.layout.units[0].name; }, "twice");
  refused([](auto& index) { index.layout.planes[1] = index.layout.planes[0]; }, "twice");
  refused([](auto& index) { index.roots.pop_back(); }, "roots");
}

TEST(CheckpointFolder, ThatCannotBeWrittenIsAnEvent) {
  const MemoryFolder folder;
  put_file(folder / "file", "not a folder");

  const std::string events = save_steps({folder / "file/checkpoints", 2}, {1});

  EXPECT_THAT(events, AllOf(HasSubstr("checkpoint 1 was not saved; training goes on"), HasSubstr("Not a directory")));
}

// A file system of its own, gone with the object.
class SmallDisk {
 public:
  explicit SmallDisk(const std::string& options) { mounted_ = ::mount("tmpfs", folder_.path().c_str(), "tmpfs", 0, options.c_str()) == 0; }
  ~SmallDisk() {
    if (mounted_) ::umount2(folder_.path().c_str(), MNT_DETACH);
  }
  bool mounted() const { return mounted_; }
  bool make_read_only() const { return ::mount("tmpfs", folder_.path().c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, "size=2m") == 0; }
  std::filesystem::path path() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
  bool mounted_ = false;
};

TEST(CheckpointFolder, OnAFullDiskKeepsTheOlderOnesAndSavesAgainWhenThereIsRoom) {
  const SmallDisk disk("size=2m");
  if (!disk.mounted()) GTEST_SKIP() << "no file system of one's own can be mounted here (root may)";
  TestRun run{disk.path() / "checkpoints", 2, 1};
  ASSERT_EQ(save_steps(run, {1}), "");
  { std::ofstream(disk.path() / "ballast") << std::string(3 << 20, 'x'); }   // as much as goes in

  const std::string events = save_steps(run, {2});

  EXPECT_THAT(events, AllOf(HasSubstr("checkpoint 2 was not saved"), HasSubstr("the disk is full: free some space")));
  EXPECT_EQ(load(run).step, 1);
  std::filesystem::remove(disk.path() / "ballast");
  EXPECT_EQ(save_steps(run, {3}), "");
  EXPECT_EQ(load(run).step, 3);
}

TEST(CheckpointFolder, OnADiskThatBecameReadOnlyIsStillLoaded) {
  const SmallDisk disk("size=2m");
  if (!disk.mounted()) GTEST_SKIP() << "no file system of one's own can be mounted here (root may)";
  const TestRun run{disk.path() / "checkpoints", 2};
  save_steps(run, {1});
  ASSERT_TRUE(disk.make_read_only());

  EXPECT_EQ(load(run).step, 1);
  EXPECT_THAT(save_steps(run, {2}), AllOf(HasSubstr("checkpoint 2 was not saved"), HasSubstr("Read-only file system")));
}

TEST(CheckpointShard, OpensInH5py) {
  const char* python = std::getenv("LASTRO_PYTHON") ? std::getenv("LASTRO_PYTHON") : "python3";
  if (std::system((std::string(python) + " -c 'import h5py' 2>/dev/null").c_str()) != 0)
    GTEST_SKIP() << "there is no Python with h5py (apt-get install python3-h5py, or LASTRO_PYTHON=...)";
  const MemoryFolder folder;
  save_steps({folder / "checkpoints", 3}, {7});
  put_file(folder / "check.py", R"(
import sys, hashlib, h5py
for rank in range(3):
    with h5py.File(f"{sys.argv[1]}/rank-{rank:02}-of-03.h5", "r") as shard:
        assert shard.attrs["format"] == b"lastro-checkpoint-shard" and shard.attrs["step"] == 7 and shard.attrs["rank"] == rank
        tile, row = int(shard.attrs["tile_elements"]), 0
        for plane in ["weights", "adam_m", "adam_v"]:
            for unit, elements in [("embedding", 1000), ("block-00", 333), ("block-01", 192), ("head", 1)]:
                data = shard[plane][unit]
                assert data.attrs["unit_elements"] == elements and data.attrs["end"] - data.attrs["begin"] == data.shape[0]
                for begin in range(0, data.shape[0], tile):
                    assert bytes(shard["tile_digests"][row]) == hashlib.sha256(data[begin:begin + tile].tobytes()).digest()
                    row += 1
        assert row == shard["tile_digests"].shape[0]
)");

  EXPECT_EQ(std::system((std::string(python) + " " + (folder / "check.py").string() + " " + (folder / "checkpoints/step-000007").string()).c_str()),
            0);
}

}   // namespace
}   // namespace lastro
