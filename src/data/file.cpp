#include "data/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "core/refused_file.h"
#include "domain/errors.h"

namespace lastro {

ReadFile::ReadFile(std::filesystem::path path) : path_(std::move(path)), descriptor_(::open(path_.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (descriptor_ < 0) refuse_file(path_, "cannot be opened", "open", errno);
}

ReadFile::ReadFile(ReadFile&& other) noexcept : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

ReadFile::~ReadFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::uint64_t ReadFile::size() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) refuse_file(path_, "cannot be examined", "fstat", errno);
  return static_cast<std::uint64_t>(status.st_size);
}

std::size_t ReadFile::read_some(std::uint64_t offset, std::span<std::byte> into) const {
  std::size_t done = 0;
  while (done < into.size()) {
    const ssize_t count = ::pread(descriptor_, into.data() + done, into.size() - done, static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) refuse_file(path_, "cannot be read", "pread", errno);
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  return done;
}

void ReadFile::read_exactly(std::uint64_t offset, std::span<std::byte> into) const {
  const std::size_t count = read_some(offset, into);
  if (count == into.size()) return;
  const std::uint64_t wanted = offset + into.size();
  throw ContractError(path_.string() + " ends at byte " + std::to_string(offset + count) + " (wanted " + std::to_string(wanted) +
                          " bytes; it was cut short). Run the stage that made it again",
                      path_.string(), std::to_string(wanted), std::to_string(offset + count));
}

WriteFile::WriteFile(std::filesystem::path path, std::size_t buffer_bytes)
    : path_(std::move(path)), descriptor_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)), capacity_(buffer_bytes) {
  if (descriptor_ < 0) refuse_file(path_, "cannot be created", "open", errno);
  buffer_.reserve(capacity_);
}

WriteFile::WriteFile(WriteFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      capacity_(other.capacity_),
      written_(other.written_),
      buffer_(std::move(other.buffer_)) {}

WriteFile::~WriteFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void WriteFile::append(std::span<const std::byte> bytes) {
  if (buffer_.size() + bytes.size() > capacity_) flush();
  if (bytes.size() > capacity_) return write_out(bytes);
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
}

void WriteFile::flush() {
  write_out(buffer_);
  buffer_.clear();
}

void WriteFile::close() {
  if (descriptor_ < 0) return;
  flush();
  if (::close(std::exchange(descriptor_, -1)) != 0) refuse_file(path_, "cannot be written", "close", errno);
}

void WriteFile::write_out(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) refuse_file(path_, "cannot be written", "write", errno);
    written_ += static_cast<std::uint64_t>(count);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

}   // namespace lastro
