#include <gmock/gmock.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "pipeline/finished_run.h"

namespace lastro::pipeline {
namespace {
namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

// A file system of its own of a given size, gone with the object; mounting needs root.
class Disk {
 public:
  Disk(const fs::path& place, const std::string& size) : place_(place) {
    fs::create_directories(place);
    is_mounted_ = ::mount("lastro-test", place.c_str(), "tmpfs", 0, ("size=" + size).c_str()) == 0;
  }
  ~Disk() {
    if (is_mounted_) ::umount2(place_.c_str(), MNT_DETACH);
  }
  Disk(const Disk&) = delete;
  Disk& operator=(const Disk&) = delete;
  bool is_mounted() const { return is_mounted_; }
  void grow(const std::string& size) const { ::mount("lastro-test", place_.c_str(), "tmpfs", MS_REMOUNT, ("size=" + size).c_str()); }
  void make_read_only() const { ::mount("lastro-test", place_.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, ""); }
  void make_writable() const { ::mount("lastro-test", place_.c_str(), "tmpfs", MS_REMOUNT, ""); }

 private:
  fs::path place_;
  bool is_mounted_ = false;
};

#define NEEDS(disk) \
  if (!(disk).is_mounted()) GTEST_SKIP() << "no file system can be mounted here (that needs root and CAP_SYS_ADMIN)"

void expect_refusal_of_the_machine(const Ended& ended, const std::string& reason, const std::string& place) {
  EXPECT_EQ(ended.exit_code, 3) << ended;
  EXPECT_THAT(ended.err, AllOf(HasSubstr("lastro: "), HasSubstr(reason), HasSubstr(place), Not(HasSubstr("internal"))));
}

TEST(AReadOnlyStore, IsRefusedByName) {
  const Workplace here;
  const Disk disk(here.store, "1m");
  NEEDS(disk);
  disk.make_read_only();

  expect_refusal_of_the_machine(here.run_it({"--ranks", "2"}), "Read-only file system", here.store);
}

TEST(AReadOnlyRunDirectory, IsRefusedByName) {
  const Workplace here;
  const Disk disk(here.run, "1m");
  NEEDS(disk);
  disk.make_read_only();

  expect_refusal_of_the_machine(here.run_it(), "Read-only file system", here.run);
}

TEST_F(AFinishedRun, InAReadOnlyStoreIsStillJudgedVerifiedAndSampled) {
  Workplace there;
  const Disk disk(there.store, "50m");
  NEEDS(disk);
  fs::copy(here.store, there.store, fs::copy_options::recursive);
  disk.make_read_only();
  here.store = there.store;

  const Ended again = here.run_it();

  EXPECT_EQ(again.exit_code, 0) << again;
  EXPECT_EQ(here.ask("verify").exit_code, 0);
  EXPECT_EQ(here.ask("sample", {"--tokens", "3"}).exit_code, 0);
}

TEST(AFullStore, IsSaidAndTheRunGoesOnWhenThereIsRoom) {
  const Workplace here;
  const Disk disk(here.store, "300k");
  NEEDS(disk);

  expect_refusal_of_the_machine(here.run_it(), "No space left on device", here.store);

  disk.grow("50m");
  const Ended again = here.run_it();
  EXPECT_EQ(again.exit_code, 0) << again;
  EXPECT_EQ(here.digests(), golden("small"));
}

TEST(AFullRunDirectory, InASaveIsSaidAndTheRunGoesOnWhenThereIsRoom) {
  const Workplace here;
  const Disk disk(here.run, "2m");   // the record and the logs fit, checkpoints of 1.5 MB each do not all
  NEEDS(disk);

  const Ended full = here.run_it({"--ranks", "2"});

  EXPECT_EQ(full.exit_code, 3) << full;
  EXPECT_THAT(full.err, Not(HasSubstr("internal")));
  disk.grow("50m");
  const Ended again = here.run_it({"--ranks", "2"});
  EXPECT_EQ(again.exit_code, 0) << again;
  EXPECT_EQ(here.digests(), golden("small"));
}

TEST(AStorePath, ThroughAFileIsRefusedByName) {
  Workplace here;
  here.write("file", "x");
  here.store = here / "file/store";

  const Ended refused = here.run_it();

  EXPECT_EQ(refused.exit_code, 3) << refused;
  EXPECT_THAT(refused.err, HasSubstr("file/store"));
}

}   // namespace
}   // namespace lastro::pipeline
