#include "text/pretoken_counts.h"

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>
#include <map>

#include "domain/errors.h"
#include "sample_text.h"
#include "support/temporary_folder.h"
#include "text/text_file.h"

namespace lastro {
namespace {

using Counts = std::map<std::string, std::uint64_t>;

Counts read_counts(const std::filesystem::path& path) {
  Counts counts;
  for (PretokenCountsReader reader(path); reader.next();) counts[std::string(reader.current().bytes)] = reader.current().count;
  return counts;
}

void write_counts(const std::filesystem::path& path, const Counts& counts) {
  PretokenCountsWriter writer(path);
  for (const auto& [bytes, count] : counts) writer.write({bytes, count});
  writer.finish();
}

std::string random_pretoken(Dice& dice) {
  std::string bytes;
  for (std::uint64_t length = 1 + dice.below(9); length > 0; --length) bytes += static_cast<char>(dice.below(dice.below(2) ? 3 : 256));
  return bytes;
}

TEST(PretokenCounter, LosesNothingWhenItSpills) {
  const TemporaryFolder folder;
  PretokenCounter roomy(1 << 24, folder / "roomy-"), tight(1, folder / "tight-");
  Counts wanted;
  Dice dice(1);
  for (int i = 0; i < 50000; ++i) {
    const std::string pretoken = random_pretoken(dice);
    roomy.add(pretoken);
    tight.add(pretoken);
    ++wanted[pretoken];
  }

  const auto roomy_runs = roomy.finish(), tight_runs = tight.finish();
  const CountTotals totals = merge_counts(roomy_runs, folder / "roomy");
  merge_counts(tight_runs, folder / "tight", 3);   // more runs than are merged at a time, and again

  EXPECT_EQ(roomy_runs.size(), 1u);
  EXPECT_EQ(roomy.spills(), 0);
  EXPECT_GT(tight_runs.size(), 27u);
  EXPECT_EQ(read_counts(folder / "roomy"), wanted);
  EXPECT_EQ(read_text_file(folder / "roomy"), read_text_file(folder / "tight"));
  EXPECT_EQ(totals.distinct, static_cast<std::int64_t>(wanted.size()));
  EXPECT_EQ(totals.pretokens, 50000);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 2) << "runs are deleted";
}

TEST(PretokenCounts, KeepCountsBeyond32Bits) {
  const TemporaryFolder folder;
  const std::uint64_t many = std::uint64_t{5} << 31;
  write_counts(folder / "a", {{"x", many}, {"y", 0x7FFFFFFFFFFFFFFF - many}});
  write_counts(folder / "b", {{"x", 7}});

  merge_counts({folder / "b"}, folder / "c");
  PretokenCounter counter(1 << 20, folder / "run-");
  counter.add("x", many);
  counter.add("x", many);
  const auto runs = counter.finish();

  EXPECT_EQ(read_counts(folder / "a").at("x"), many);
  EXPECT_EQ(read_counts(runs[0]).at("x"), 2 * many);
}

TEST(PretokenCounts, RefuseSumsBeyond63Bits) {
  const TemporaryFolder folder;
  write_counts(folder / "a", {{"x", 0x7FFFFFFFFFFFFFFF}});
  write_counts(folder / "b", {{"x", 1}});

  EXPECT_THROW(merge_counts({folder / "a", folder / "b"}, folder / "c"), ContractError);
}

TEST(PretokenCounts, RefuseADamagedFile) {
  const TemporaryFolder folder;
  write_counts(folder / "whole", {{"ab", 3}, {"abc", 300}, {"b", 1}});
  const std::string whole = read_text_file(folder / "whole");

  for (std::size_t length = 0; length < whole.size(); ++length) {
    write_text_file(folder / "cut", whole.substr(0, length));
    EXPECT_THROW(read_counts(folder / "cut"), ContractError) << length;
  }
  write_text_file(folder / "longer", whole + '\0');
  EXPECT_THROW(read_counts(folder / "longer"), ContractError);
  for (std::size_t at = 0; at < whole.size(); ++at) {   // a flip may make another file of counts, never anything worse
    std::string flipped = whole;
    flipped[at] ^= 0x55;
    write_text_file(folder / "flipped", flipped);
    try {
      read_counts(folder / "flipped");
    } catch (const ContractError&) {}
  }
}

TEST(PretokenCounts, NameAFileThatIsNotThere) { EXPECT_THROW(PretokenCountsReader("/nowhere/counts"), EnvironmentError); }

}   // namespace
}   // namespace lastro
