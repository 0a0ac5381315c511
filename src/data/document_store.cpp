#include "data/document_store.h"

#include <system_error>

#include "domain/errors.h"

namespace lastro {
namespace {

std::filesystem::path texts_path(const std::filesystem::path& folder, std::uint32_t rank) { return folder / ("texts-" + std::to_string(rank)); }

constexpr std::size_t record_buffer_bytes = 64 * 1024;

}   // namespace

void DocumentBatch::add(const DocumentRecord& record, std::string_view text) {
  records_.push_back(record);
  begins_.push_back(texts_.size());
  texts_ += text;
}

void DocumentBatch::clear() {
  records_.clear();
  begins_.clear();
  texts_.clear();
}

DocumentStore::DocumentStore(std::filesystem::path folder, int rank) : folder_(std::move(folder)), rank_(rank) {
  records_.emplace(records_path());
  texts_.emplace(texts_path(folder_, static_cast<std::uint32_t>(rank)));
}

std::filesystem::path DocumentStore::records_path() const {
  return folder_ / ("documents-" + std::to_string(rank_) + "-" + std::to_string(generation_));
}

void DocumentStore::add(DocumentRecord record, std::string_view text) {
  record.home = static_cast<std::uint32_t>(rank_);
  record.offset = texts_->size();
  record.bytes = static_cast<std::uint32_t>(text.size());
  records_->append(std::as_bytes(std::span(&record, 1)));
  texts_->append(text);
  ++size_;
}

void DocumentStore::close() {
  records_->close();
  texts_->close();
}

void DocumentStore::for_each(const std::function<void(const DocumentRecord&)>& visit) const {
  const ReadFile file(records_path());
  RecordReader<DocumentRecord> records(file, 0, static_cast<std::uint64_t>(size_), record_buffer_bytes);
  while (const DocumentRecord* record = records.next()) visit(*record);
}

void DocumentStore::for_each_batch(std::int64_t batch_bytes, const std::function<void(const DocumentBatch&)>& visit) const {
  TextReader texts(folder_, rank_ + 1);
  DocumentBatch batch;
  for_each([&](const DocumentRecord& record) {
    batch.add(record, texts.text(record.home, record.offset, record.bytes));
    if (static_cast<std::int64_t>(batch.bytes() + batch.size() * sizeof(DocumentRecord)) < batch_bytes) return;
    visit(batch);
    batch.clear();
  });
  if (batch.size() > 0) visit(batch);
}

void DocumentStore::remove(const std::function<void(const std::function<void(const DocumentId&)>&)>& removals) {
  const std::filesystem::path before = records_path();
  const ReadFile file(before);
  RecordReader<DocumentRecord> records(file, 0, static_cast<std::uint64_t>(size_), record_buffer_bytes);
  ++generation_;
  size_ = 0;
  WriteFile after(records_path());
  const auto keep = [&](const DocumentRecord& record) {
    after.append(std::as_bytes(std::span(&record, 1)));
    ++size_;
  };
  const DocumentRecord* next = records.next();
  removals([&](const DocumentId& id) {
    for (; next && next->id < id; next = records.next()) keep(*next);
    if (!next || next->id != id) throw InternalError("a document is to be removed that is not there");
    next = records.next();
  });
  for (; next; next = records.next()) keep(*next);
  after.close();
  std::error_code ignored;
  std::filesystem::remove(before, ignored);
}

TextReader::TextReader(std::filesystem::path folder, int ranks) : folder_(std::move(folder)), files_(static_cast<std::size_t>(ranks)) {}

std::string_view TextReader::text(std::uint32_t home, std::uint64_t offset, std::uint32_t bytes) {
  if (!files_[home]) files_[home].emplace(texts_path(folder_, home));
  text_.resize(bytes);
  files_[home]->read_exactly(offset, std::as_writable_bytes(std::span(text_)));
  return text_;
}

}   // namespace lastro
