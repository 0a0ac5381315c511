#include <gmock/gmock.h>

#include <functional>

#include "core/files.h"
#include "core/hash.h"
#include "data/dataset_layout.h"
#include "data/file.h"
#include "data/file_digests.h"
#include "data/spill_sorter.h"
#include "domain/errors.h"
#include "support/temporary_folder.h"
#include "text/pretoken_counts.h"
#include "text/text_file.h"

namespace lastro {
namespace {

// What is said, and the errno beside it.
std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const EnvironmentError& error) {
    return std::string(error.what()) + " | " + std::to_string(error.error);
  }
  return "not refused";
}

TEST(AFullDisk, IsNamedWithItsReasonAndWhatHelpsByAllThatWrites) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "full";
  std::filesystem::create_symlink("/dev/full", file);   // a link, since some remove what they have written
  const std::string no_room = file.string() + " cannot be written (No space left on device) free some space and run the same command again | 28";

  EXPECT_EQ(refusal([&] { write_text_file(file, "text"); }), no_room);
  EXPECT_EQ(refusal([&] {
              PretokenCountsWriter writer(file);
              writer.write({"word", 3});
              writer.finish();
            }),
            no_room);
  EXPECT_EQ(refusal([&] {
              WriteFile writer(file);
              writer.append(std::as_bytes(std::span("text")));
              writer.close();
            }),
            no_room);
  EXPECT_EQ(refusal([&] {
              SpillSorter<std::uint64_t> sorter(file, 64);
              for (std::uint64_t value = 0; value < 1000000; ++value) sorter.add(value);
            }),
            no_room);
}

TEST(AMissingFile, IsNamedWithItsReasonAndWhatHelpsByAllThatReads) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "gone";
  for (const std::function<void()>& read : {std::function<void()>([&] { read_text_file(file); }),
                                            {[&] { PretokenCountsReader reader(file); }},
                                            {[&] { ReadFile reader(file); }},
                                            {[&] { sha256_file(file); }},
                                            {[&] { FileDigests("").of(file); }}})
    EXPECT_THAT(refusal(read), testing::AllOf(testing::StartsWith(file.string() + " cannot be "), testing::HasSubstr("(No such file or directory)"),
                                              testing::EndsWith("look whether the path is right, and whether something else removed it | 2")));
}

TEST(AnErrorOfReading, IsNoEndOfTheFile) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "dataset.json";
  std::filesystem::create_symlink("/proc/self/mem", file);   // opens, and reads at its beginning fail
  for (const std::function<void()>& read : {std::function<void()>([&] { read_text_file(file); }),
                                            {[&] { read_file(file); }},
                                            {[&] { PretokenCountsReader reader(file); }},
                                            {[&] { read_dataset_layout(folder.path()); }},
                                            {[&] { sha256_file(file); }}})
    EXPECT_EQ(refusal(read), file.string() + " cannot be read (Input/output error) the disk may be failing: the system's log says more | 5");
}

TEST(AFolderThatNobodyMade, IsNamedWithItsReasonAndWhatHelps) {
  EXPECT_EQ(refusal([] { write_text_file("/proc/none/report.json", "text"); }),
            "/proc/none/report.json cannot be created (No such file or directory) look whether the path is right, and whether something else removed "
            "it | 2");
}

}   // namespace
}   // namespace lastro
