#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <queue>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "data/file.h"

namespace lastro {

// Reads fixed-size records from a stretch of a file through a buffer.
template <class Record>
class RecordReader {
  static_assert(std::is_trivially_copyable_v<Record>);

 public:
  // The records [first, first + count) of a file that outlives the reader.
  RecordReader(const ReadFile& file, std::uint64_t first, std::uint64_t count, std::size_t buffer_bytes)
      : file_(&file), next_(first), end_(first + count), capacity_(std::max<std::size_t>(buffer_bytes / sizeof(Record), 1)) {}

  // The next record, or null at the end; valid until the next call.
  const Record* next() {
    if (at_ == buffer_.size()) {
      if (next_ == end_) return nullptr;
      buffer_.resize(std::min<std::uint64_t>(capacity_, end_ - next_));
      file_->read_exactly(next_ * sizeof(Record), std::as_writable_bytes(std::span(buffer_)));
      next_ += buffer_.size();
      at_ = 0;
    }
    return &buffer_[at_++];
  }

 private:
  const ReadFile* file_;
  std::uint64_t next_;
  std::uint64_t end_;
  std::size_t capacity_;
  std::vector<Record> buffer_;
  std::size_t at_ = 0;
};

// Visits the union of ascending readers in ascending order. Equal records come in the order of their readers.
template <class Record, class Visit>
void merge_ascending(std::vector<RecordReader<Record>>& readers, Visit visit) {
  struct Head {
    Record record;
    std::size_t reader;
    bool operator<(const Head& other) const {   // reversed: the queue gives the largest
      if (other.record < record) return true;
      if (record < other.record) return false;
      return other.reader < reader;
    }
  };
  std::priority_queue<Head> heads;
  for (std::size_t i = 0; i < readers.size(); ++i)
    if (const Record* record = readers[i].next()) heads.push({*record, i});
  while (!heads.empty()) {
    const Head head = heads.top();
    heads.pop();
    visit(head.record);
    if (const Record* record = readers[head.reader].next()) heads.push({*record, head.reader});
  }
}

// Sorts any number of records in bounded memory: sorted runs go to a file of their own and are merged. The order is that of operator<,
// which must be total for the result not to depend on the limit.
template <class Record>
class SpillSorter {
 public:
  SpillSorter(std::filesystem::path file, std::int64_t memory_limit_bytes)
      : path_(std::move(file)), capacity_(std::max<std::size_t>(static_cast<std::size_t>(memory_limit_bytes) / sizeof(Record), 64)) {}
  SpillSorter(const SpillSorter&) = delete;
  SpillSorter& operator=(const SpillSorter&) = delete;
  ~SpillSorter() {
    std::error_code ignored;
    if (spill_) std::filesystem::remove(path_, ignored);
  }

  void add(const Record& record) {
    if (records_.size() == capacity_) spill();
    if (records_.size() == records_.capacity()) records_.reserve(std::min(capacity_, std::max<std::size_t>(64, records_.size() * 2)));
    records_.push_back(record);
  }

  // Visits all records in ascending order. Call once.
  template <class Visit>
  void for_each(Visit visit) {
    if (!spill_) {
      std::sort(records_.begin(), records_.end());
      for (const Record& record : records_) visit(record);
      return;
    }
    spill();
    spill_->close();
    records_ = {};
    const ReadFile file(path_);
    const std::size_t buffer_bytes = std::max<std::size_t>(capacity_ * sizeof(Record) / runs_.size(), 4096);
    std::vector<RecordReader<Record>> readers;
    std::uint64_t first = 0;
    for (const std::uint64_t count : runs_) {
      readers.emplace_back(file, first, count, buffer_bytes);
      first += count;
    }
    merge_ascending(readers, visit);
  }

 private:
  void spill() {
    if (records_.empty()) return;
    if (!spill_) spill_.emplace(path_);
    std::sort(records_.begin(), records_.end());
    spill_->append(std::as_bytes(std::span(records_)));
    runs_.push_back(records_.size());
    records_.clear();
  }

  std::filesystem::path path_;
  std::size_t capacity_;
  std::vector<Record> records_;
  std::optional<WriteFile> spill_;
  std::vector<std::uint64_t> runs_;
};

}   // namespace lastro
