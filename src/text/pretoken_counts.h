#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lastro {

// How often each pre-token occurs. A counts file is
//
//   file   := "lastro-counts-1\n" record* end
//   record := shared:varint length:varint byte[length] count:varint    the pre-token is the first `shared` bytes of the one before, then the bytes
//   end    := 0:varint 0:varint 0:varint                               (no record is empty)
//   varint := seven bits a byte, lowest first, high bit set on all but the last
//
// with pre-tokens ascending by bytes, each once, counts from 1 to 2^63 - 1. One multiset has one file. Runs that are spilled use the same form.
struct PretokenCount {
  std::string_view bytes;
  std::uint64_t count = 0;
};

class PretokenCountsWriter {
 public:
  explicit PretokenCountsWriter(const std::filesystem::path& path);
  void write(PretokenCount next);   // Requires: ascending
  void finish();                    // complete and flushed once this returns

 private:
  void put(std::uint64_t value);
  void flush();

  std::filesystem::path path_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  std::string buffer_;
  std::string previous_;
};

class PretokenCountsReader {
 public:
  explicit PretokenCountsReader(const std::filesystem::path& path);
  // The next record into `current()`; false at the end. Throws ContractError when the file is damaged.
  bool next();
  PretokenCount current() const { return {bytes_, count_}; }

 private:
  std::uint64_t take_varint();
  unsigned char take();
  [[noreturn]] void refuse(std::string_view why) const;

  std::filesystem::path path_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  std::vector<unsigned char> buffer_;
  std::size_t at_ = 0;
  std::size_t filled_ = 0;
  std::string bytes_;
  std::uint64_t count_ = 0;
};

// Merges files of counts into one, adding the counts of equal pre-tokens; reads at most `fan_in` files at a time, with intermediate files in the
// folder of `merged`. Deletes `files`. Throws ContractError when the counts together pass 2^63 - 1.
struct CountTotals {
  std::int64_t distinct = 0;
  std::int64_t pretokens = 0;
};
CountTotals merge_counts(std::vector<std::filesystem::path> files, const std::filesystem::path& merged, int fan_in = 64);

// Counts pre-tokens in bounded memory: when the table is full it is written out as a sorted run. Nothing is ever dropped, so the files merged have
// the counts that an unbounded table would have.
class PretokenCounter {
 public:
  // Runs are written as `run_prefix`0, `run_prefix`1, ...
  PretokenCounter(std::int64_t memory_bytes, std::filesystem::path run_prefix);

  // Requires: bytes is not empty and at most longest_counted bytes.
  void add(std::string_view bytes, std::uint64_t count = 1);
  // A longer pre-token (a picture as text, a line of one letter) is counted in pieces of this length: merges are not learnt from it as a whole.
  static constexpr std::size_t longest_counted = 256;

  // Writes what is left and returns all runs. The counter is empty afterwards.
  std::vector<std::filesystem::path> finish();
  int spills() const { return spills_; }

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t place = 0;   // 1 + offset in arena_; 0 = empty
    std::uint64_t count = 0;
  };
  std::string_view bytes_at(std::uint32_t place) const;
  Slot& slot_for(std::string_view bytes, std::uint32_t hash);
  bool has_room_for(std::size_t bytes);
  void grow();
  void spill();

  std::size_t arena_limit_;
  std::size_t slot_limit_;
  std::filesystem::path run_prefix_;
  std::vector<std::filesystem::path> runs_;
  std::vector<Slot> slots_;
  std::vector<char> arena_;   // per pre-token: length - 1 in one byte, then its bytes
  std::size_t used_ = 0;
  int spills_ = 0;
};

}   // namespace lastro
