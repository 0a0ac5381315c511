#include "text/pretoken_counts.h"

#include <algorithm>
#include <cerrno>
#include <queue>

#include "core/refused_file.h"
#include "domain/errors.h"
#include "text/byte_hash.h"

namespace lastro {
namespace {

constexpr std::string_view magic = "lastro-counts-1\n";
constexpr std::size_t buffer_bytes = 64 * 1024;
constexpr std::uint64_t largest_count = 0x7FFFFFFFFFFFFFFFu;

std::unique_ptr<std::FILE, int (*)(std::FILE*)> open_file(const std::filesystem::path& path, const char* mode) {
  std::FILE* file = std::fopen(path.c_str(), mode);
  if (!file) refuse_file(path, "cannot be opened", "fopen", errno);
  std::setvbuf(file, nullptr, _IONBF, 0);   // the classes here have buffers of their own
  return {file, &std::fclose};
}

std::uint64_t sum_of_counts(std::uint64_t a, std::uint64_t b, std::string_view bytes) {
  if (b > largest_count - a)
    throw ContractError("the count of pre-token '" + std::string(bytes) + "' passes 2^63 - 1 (" + std::to_string(a) + " + " + std::to_string(b) +
                        ") count less text at once");
  return a + b;
}

}   // namespace

PretokenCountsWriter::PretokenCountsWriter(const std::filesystem::path& path) : path_(path), file_(open_file(path, "wb")), buffer_(magic) {}

void PretokenCountsWriter::put(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) buffer_ += static_cast<char>(value | 0x80);
  buffer_ += static_cast<char>(value);
}

void PretokenCountsWriter::write(PretokenCount next) {
  const auto shared =
      static_cast<std::size_t>(std::mismatch(previous_.begin(), previous_.end(), next.bytes.begin(), next.bytes.end()).first - previous_.begin());
  put(shared);
  put(next.bytes.size() - shared);
  buffer_ += next.bytes.substr(shared);
  put(next.count);
  previous_.assign(next.bytes);
  if (buffer_.size() >= buffer_bytes) flush();
}

void PretokenCountsWriter::flush() {
  if (std::fwrite(buffer_.data(), 1, buffer_.size(), file_.get()) != buffer_.size()) refuse_file(path_, "cannot be written", "fwrite", errno);
  buffer_.clear();
}

void PretokenCountsWriter::finish() {
  for (int i = 0; i < 3; ++i) put(0);
  flush();
  if (std::fclose(file_.release()) != 0) refuse_file(path_, "cannot be written", "fclose", errno);
}

PretokenCountsReader::PretokenCountsReader(const std::filesystem::path& path) : path_(path), file_(open_file(path, "rb")), buffer_(buffer_bytes) {
  for (const char wanted : magic)
    if (take() != static_cast<unsigned char>(wanted)) refuse("it does not begin as one");
}

void PretokenCountsReader::refuse(std::string_view why) const {
  throw ContractError(path_.string() + " is not a file of pre-token counts (" + std::string(why) + ") it is damaged; make it again");
}

unsigned char PretokenCountsReader::take() {
  if (at_ == filled_) {
    filled_ = std::fread(buffer_.data(), 1, buffer_.size(), file_.get());
    at_ = 0;
    if (filled_ == 0 && std::ferror(file_.get())) refuse_file(path_, "cannot be read", "fread", errno);
    if (filled_ == 0) refuse("it ends early");
  }
  return buffer_[at_++];
}

std::uint64_t PretokenCountsReader::take_varint() {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 63; shift += 7) {
    const unsigned char byte = take();
    value |= std::uint64_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) return value;
  }
  refuse("a number is too long");
}

bool PretokenCountsReader::next() {
  const std::uint64_t shared = take_varint(), length = take_varint();
  if (shared == 0 && length == 0) {
    if (take_varint() != 0) refuse("a pre-token is empty");
    if (at_ != filled_ || std::fgetc(file_.get()) != EOF) refuse("it goes on after its end");
    return false;
  }
  if (shared > bytes_.size() || length > PretokenCounter::longest_counted) refuse("a length is wrong");
  const std::string previous = bytes_;
  bytes_.resize(shared);
  for (std::uint64_t i = 0; i < length; ++i) bytes_ += static_cast<char>(take());
  count_ = take_varint();
  if (count_ == 0 || bytes_ <= previous || bytes_.size() > PretokenCounter::longest_counted) refuse("its pre-tokens are not in order");
  return true;
}

namespace {

// A k-way merge: the file whose pre-token is the smallest by bytes comes first.
CountTotals merge_few(const std::vector<std::filesystem::path>& files, const std::filesystem::path& merged) {
  std::vector<std::unique_ptr<PretokenCountsReader>> readers;
  const auto later = [](const PretokenCountsReader* a, const PretokenCountsReader* b) { return a->current().bytes > b->current().bytes; };
  std::priority_queue<PretokenCountsReader*, std::vector<PretokenCountsReader*>, decltype(later)> queue(later);
  for (const auto& file : files) {
    readers.push_back(std::make_unique<PretokenCountsReader>(file));
    if (readers.back()->next()) queue.push(readers.back().get());
  }
  PretokenCountsWriter writer(merged);
  CountTotals totals;
  std::string bytes;
  while (!queue.empty()) {
    bytes.assign(queue.top()->current().bytes);
    std::uint64_t count = 0;
    while (!queue.empty() && queue.top()->current().bytes == bytes) {
      PretokenCountsReader* reader = queue.top();
      queue.pop();
      count = sum_of_counts(count, reader->current().count, bytes);
      if (reader->next()) queue.push(reader);
    }
    writer.write({bytes, count});
    ++totals.distinct;
    totals.pretokens = static_cast<std::int64_t>(sum_of_counts(static_cast<std::uint64_t>(totals.pretokens), count, bytes));
  }
  writer.finish();
  return totals;
}

void remove_files(const std::vector<std::filesystem::path>& files) {
  for (const auto& file : files) std::filesystem::remove(file);
}

}   // namespace

CountTotals merge_counts(std::vector<std::filesystem::path> files, const std::filesystem::path& merged, int fan_in) {
  for (int round = 0; files.size() > static_cast<std::size_t>(fan_in); ++round) {
    std::vector<std::filesystem::path> fewer;
    for (std::size_t begin = 0; begin < files.size(); begin += fan_in) {
      const std::vector<std::filesystem::path> some(files.begin() + begin, files.begin() + std::min(files.size(), begin + fan_in));
      std::filesystem::path part = merged;
      part += ".round" + std::to_string(round) + "-" + std::to_string(fewer.size());
      merge_few(some, part);
      remove_files(some);
      fewer.push_back(part);
    }
    files = std::move(fewer);
  }
  const CountTotals totals = merge_few(files, merged);
  remove_files(files);
  return totals;
}

PretokenCounter::PretokenCounter(std::int64_t memory_bytes, std::filesystem::path run_prefix)
    : arena_limit_(std::clamp<std::int64_t>(memory_bytes / 3, 4096, 0xFFFFF000)), slot_limit_(256), run_prefix_(std::move(run_prefix)) {
  // While the table grows, old and new are both there: half as much again.
  while (slot_limit_ * 2 * sizeof(Slot) * 3 / 2 <= static_cast<std::size_t>(std::max<std::int64_t>(memory_bytes / 2, 0))) slot_limit_ *= 2;
  slots_.resize(std::min<std::size_t>(slot_limit_, 4096));
}

std::string_view PretokenCounter::bytes_at(std::uint32_t place) const {
  const char* entry = arena_.data() + place - 1;
  return {entry + 1, std::size_t{static_cast<unsigned char>(*entry)} + 1};
}

PretokenCounter::Slot& PretokenCounter::slot_for(std::string_view bytes, std::uint32_t hash) {
  for (std::size_t i = hash & (slots_.size() - 1);; i = (i + 1) & (slots_.size() - 1)) {
    Slot& slot = slots_[i];
    if (slot.place == 0 || (slot.hash == hash && bytes_at(slot.place) == bytes)) return slot;
  }
}

bool PretokenCounter::has_room_for(std::size_t bytes) {
  if (arena_.size() + bytes + 1 > arena_limit_) return false;
  if ((used_ + 1) * 10 <= slots_.size() * 7) return true;
  if (slots_.size() >= slot_limit_) return false;
  grow();
  return true;
}

void PretokenCounter::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.place == 0) continue;
    std::size_t i = slot.hash & (slots_.size() - 1);
    while (slots_[i].place != 0) i = (i + 1) & (slots_.size() - 1);
    slots_[i] = slot;
  }
}

void PretokenCounter::add(std::string_view bytes, std::uint64_t count) {
  const auto hash = static_cast<std::uint32_t>(byte_hash(bytes));
  Slot* slot = &slot_for(bytes, hash);
  if (slot->place == 0) {
    if (!has_room_for(bytes.size())) spill();
    slot = &slot_for(bytes, hash);   // the table may have grown or been emptied
    if (arena_.capacity() < arena_.size() + bytes.size() + 1)
      arena_.reserve(std::min(arena_limit_, std::max<std::size_t>(4096, arena_.capacity() * 3 / 2)));
    slot->hash = hash;
    slot->place = static_cast<std::uint32_t>(arena_.size() + 1);
    arena_.push_back(static_cast<char>(bytes.size() - 1));
    arena_.insert(arena_.end(), bytes.begin(), bytes.end());
    ++used_;
  }
  slot->count = sum_of_counts(slot->count, count, bytes);
}

void PretokenCounter::spill() {
  std::vector<Slot>& slots = slots_;   // sorted in place: the table is emptied anyway
  const auto used_end = std::partition(slots.begin(), slots.end(), [](const Slot& slot) { return slot.place != 0; });
  std::sort(slots.begin(), used_end, [&](const Slot& a, const Slot& b) { return bytes_at(a.place) < bytes_at(b.place); });
  std::filesystem::path path = run_prefix_;
  path += std::to_string(runs_.size());
  PretokenCountsWriter writer(path);
  for (auto slot = slots.begin(); slot != used_end; ++slot) writer.write({bytes_at(slot->place), slot->count});
  writer.finish();
  runs_.push_back(path);
  ++spills_;
  std::fill(slots.begin(), slots.end(), Slot{});
  arena_.clear();
  used_ = 0;
}

std::vector<std::filesystem::path> PretokenCounter::finish() {
  if (used_ > 0) {
    spill();
    --spills_;   // the last run is written whether memory was short or not
  }
  return std::move(runs_);
}

}   // namespace lastro
