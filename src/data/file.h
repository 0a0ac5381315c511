#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

namespace lastro {

// A file open for reading at any place. Threads may read at the same time. Every call throws EnvironmentError (file, reason) when it fails.
class ReadFile {
 public:
  explicit ReadFile(std::filesystem::path path);
  ReadFile(ReadFile&& other) noexcept;
  ReadFile(const ReadFile&) = delete;
  ReadFile& operator=(const ReadFile&) = delete;
  ~ReadFile();

  const std::filesystem::path& path() const { return path_; }
  std::uint64_t size() const;                                                     // now
  std::size_t read_some(std::uint64_t offset, std::span<std::byte> into) const;   // fewer bytes only at the end of the file
  void read_exactly(std::uint64_t offset, std::span<std::byte> into) const;       // ContractError when the file is too short

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
};

// A new file that is written from front to back through a buffer. Every call throws EnvironmentError (file, reason) when it fails.
class WriteFile {
 public:
  explicit WriteFile(std::filesystem::path path, std::size_t buffer_bytes = 256 * 1024);
  WriteFile(WriteFile&& other) noexcept;
  WriteFile(const WriteFile&) = delete;
  WriteFile& operator=(const WriteFile&) = delete;
  ~WriteFile();   // what is not closed by then may be lost

  void append(std::span<const std::byte> bytes);
  void append(std::string_view text) { append(std::as_bytes(std::span(text))); }
  std::uint64_t size() const { return written_ + buffer_.size(); }   // bytes appended so far
  void flush();                                                      // hands the buffer to the system: readers of the file see it
  void close();                                                      // flushes; to be called before another rank reads the file

 private:
  void write_out(std::span<const std::byte> bytes);

  std::filesystem::path path_;
  int descriptor_ = -1;
  std::size_t capacity_;
  std::uint64_t written_ = 0;
  std::vector<std::byte> buffer_;
};

}   // namespace lastro
