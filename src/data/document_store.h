#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/document_record.h"
#include "data/file.h"
#include "data/spill_sorter.h"
#include "domain/workers.h"

namespace lastro {

// Some documents and their texts in memory, for threads to work on.
class DocumentBatch {
 public:
  void add(const DocumentRecord& record, std::string_view text);
  void clear();
  std::size_t size() const { return records_.size(); }
  std::size_t bytes() const { return texts_.size(); }
  const DocumentRecord& record(std::size_t i) const { return records_[i]; }
  std::string_view text(std::size_t i) const {
    return std::string_view(texts_).substr(begins_[i], (i + 1 < size() ? begins_[i + 1] : texts_.size()) - begins_[i]);
  }

 private:
  std::vector<DocumentRecord> records_;
  std::vector<std::size_t> begins_;
  std::string texts_;
};

// Calls work(worker, i) for each document of a batch, shared out over the workers.
template <class Work>
void for_each_parallel(Workers& workers, const DocumentBatch& batch, Work work) {
  workers.run([&](int worker) {
    const Part part = part_of(static_cast<std::int64_t>(batch.size()), worker, workers.size());
    for (std::int64_t i = part.begin; i < part.end; ++i) work(worker, static_cast<std::size_t>(i));
  });
}

// The clean documents that one rank read, in the corpus's order, in two files: records and texts. Documents are added, then closed;
// afterwards they may be read, and some removed, any number of times. Other ranks read texts by record.
class DocumentStore {
 public:
  DocumentStore(std::filesystem::path folder, int rank);

  void add(DocumentRecord record, std::string_view text);   // sets the record's place; ids ascend
  void close();

  // Visits the records, in order.
  void for_each(const std::function<void(const DocumentRecord&)>& visit) const;

  // Visits the documents in batches of about `batch_bytes` of text, in order.
  void for_each_batch(std::int64_t batch_bytes, const std::function<void(const DocumentBatch&)>& visit) const;

  // Takes documents out: `removals` calls its argument with ids in ascending order.
  void remove(const std::function<void(const std::function<void(const DocumentId&)>&)>& removals);

  std::int64_t size() const { return size_; }

 private:
  std::filesystem::path records_path() const;

  std::filesystem::path folder_;
  int rank_;
  int generation_ = 0;   // records are rewritten when some are removed
  std::int64_t size_ = 0;
  std::optional<WriteFile> records_;
  std::optional<WriteFile> texts_;
};

// Reads texts of any rank's store.
class TextReader {
 public:
  TextReader(std::filesystem::path folder, int ranks);
  // Valid until the next call.
  std::string_view text(std::uint32_t home, std::uint64_t offset, std::uint32_t bytes);

 private:
  std::filesystem::path folder_;
  std::vector<std::optional<ReadFile>> files_;
  std::string text_;
};

}   // namespace lastro
