#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "core/stage.h"
#include "data/file.h"
#include "data/spill_sorter.h"

namespace lastro {

// Records on their way from any rank to any other, through files in the stage's shared folder: as many as the disk holds, in little
// memory. Each rank sends, closes, meets the others (together(), barrier), and receives.
template <class Record>
class Exchange {
 public:
  static constexpr int most_owners = 64;   // work that is shared out by hash goes to so many ranks at most: files grow with ranks x owners

  // The first `receivers` ranks receive.
  Exchange(const RunContext& run, std::filesystem::path folder, const std::string& name, int receivers)
      : folder_(std::move(folder)), name_(name), rank_(run.ranks.rank().value), ranks_(run.ranks.size()), receivers_(receivers) {
    for (int to = 0; to < receivers_; ++to) files_.emplace_back(file_of(rank_, to), 16 * 1024);
  }

  static int owners(const RunContext& run) { return std::min(run.ranks.size(), most_owners); }

  int receivers() const { return receivers_; }
  void send(int to, const Record& record) { files_[to].append(std::as_bytes(std::span(&record, 1))); }
  void close() {
    for (WriteFile& file : files_) file.close();
    files_.clear();
  }

  // Visits what was sent to this rank, sender by sender, and removes it.
  template <class Visit>
  void receive(Visit visit) {
    if (rank_ >= receivers_) return;
    for (int from = 0; from < ranks_; ++from) {
      const std::filesystem::path path = file_of(from, rank_);
      {
        const ReadFile file(path);
        RecordReader<Record> records(file, 0, file.size() / sizeof(Record), 64 * 1024);
        while (const Record* record = records.next()) visit(*record);
      }
      std::error_code ignored;
      std::filesystem::remove(path, ignored);
    }
  }

 private:
  std::filesystem::path file_of(int from, int to) const { return folder_ / (name_ + "-" + std::to_string(from) + "-" + std::to_string(to)); }

  std::filesystem::path folder_;
  std::string name_;
  int rank_;
  int ranks_;
  int receivers_;
  std::vector<WriteFile> files_;
};

}   // namespace lastro
