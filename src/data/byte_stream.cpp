#include "data/byte_stream.h"

#include <algorithm>
#include <cstring>

#include "domain/errors.h"

namespace lastro {
namespace {

constexpr std::size_t chunk_bytes = 256 * 1024;

}   // namespace

ByteStream::ByteStream(const SourceFile& file) : planned_(file), file_(file.path), chunk_(chunk_bytes) {
  if (file_.size() != planned_.bytes) refuse_change(std::to_string(planned_.bytes) + " bytes", std::to_string(file_.size()) + " bytes");
  refill();
  decompressor_ = decompressor_for(unread_, planned_.path);
}

bool ByteStream::refill() {
  const std::size_t count = file_.read_some(offset_, chunk_);
  unread_ = std::span<const std::byte>(chunk_).first(count);
  hash_.update(unread_);
  offset_ += count;
  return count > 0;
}

std::size_t ByteStream::read(std::span<std::byte> into) {
  while (!at_end_) {
    if (unread_.empty() && !decompressor_is_full_ && !refill()) {
      if (!decompressor_->may_end_here())
        throw ContractError(planned_.path.string() + " ends in the middle of its compressed data (it is truncated). Fetch it again",
                            planned_.path.string(), "a whole compressed stream", "a truncated one");
      expect_planned();
      at_end_ = true;
      break;
    }
    const auto progress = decompressor_->decode(unread_, into);
    unread_ = unread_.subspan(progress.consumed);
    decompressor_is_full_ = progress.produced == into.size();   // more may be waiting inside it
    if (progress.produced > 0) return progress.produced;
  }
  return 0;
}

void ByteStream::expect_planned() {
  const Digest found = hash_.finish();
  if (found != planned_.sha256) refuse_change(planned_.sha256.to_string(), found.to_string());
}

void ByteStream::refuse_change(const std::string& wanted, const std::string& found) const {
  throw ContractError(planned_.path.string() + " is not the file that was planned (wanted " + wanted + ", found " + found +
                          "; it changed since). Restore it, or plan again",
                      planned_.path.string(), wanted, found);
}

}   // namespace lastro
