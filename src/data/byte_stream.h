#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/hash.h"
#include "data/file.h"
#include "domain/source.h"

namespace lastro {

// Undoes one compression. A damaged or truncated stream is a ContractError.
class Decompressor {
 public:
  virtual ~Decompressor() = default;
  struct Progress {
    std::size_t consumed;
    std::size_t produced;
  };
  virtual Progress decode(std::span<const std::byte> in, std::span<std::byte> out) = 0;
  virtual bool may_end_here() const = 0;   // no frame is half read
};
// By the first bytes of the file: gzip (so dictzip too), zstd, or neither, which is a ContractError where the name of
// `path` promises one of them.
std::unique_ptr<Decompressor> decompressor_for(std::span<const std::byte> head, const std::filesystem::path& path);

// The content of a source file from front to back, gzip and zstd undone. What is read is held against the size and digest that the
// plan recorded: a file that changed since is a ContractError at its end at the latest. Holds under 2 MiB (zstd: and the frame's window).
class ByteStream {
 public:
  explicit ByteStream(const SourceFile& file);

  // Bytes put into `into`; 0 at the end, and then the file is the planned one.
  std::size_t read(std::span<std::byte> into);

 private:
  bool refill();
  void expect_planned();
  [[noreturn]] void refuse_change(const std::string& wanted, const std::string& found) const;

  SourceFile planned_;
  ReadFile file_;
  Sha256 hash_;
  std::uint64_t offset_ = 0;
  std::vector<std::byte> chunk_;
  std::span<const std::byte> unread_;
  std::unique_ptr<Decompressor> decompressor_;
  bool decompressor_is_full_ = false;
  bool at_end_ = false;
};

}   // namespace lastro
