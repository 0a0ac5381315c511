#include "model/region.h"

#include <sys/mman.h>

#include <string>
#include <utility>

#include "domain/errors.h"

namespace lastro {
namespace {

constexpr std::int64_t page_bytes = 4096;

// MAP_POPULATE would touch before the advice is given, in small pages.
void touch(std::byte* memory, std::int64_t bytes) {
  for (std::int64_t at = 0; at < bytes; at += page_bytes) const_cast<volatile std::byte*>(memory)[at] = std::byte{0};
}

}   // namespace

Region::Region(std::int64_t bytes, const char* what) : bytes_(bytes) {
  if (bytes == 0) return;
  void* memory = mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    throw BudgetError("no memory for " + std::string(what) + ": " + std::to_string(bytes) +
                      " bytes (the system refused them) use more ranks, fewer sequences a leaf or a smaller model");
  memory_ = static_cast<std::byte*>(memory);
  madvise(memory_, static_cast<std::size_t>(bytes), MADV_HUGEPAGE);   // advice: a kernel without it only is slower
  touch(memory_, bytes);
}

Region::~Region() {
  if (memory_ != nullptr) munmap(memory_, static_cast<std::size_t>(bytes_));
}

Region::Region(Region&& other) noexcept
    : memory_(std::exchange(other.memory_, nullptr)), bytes_(std::exchange(other.bytes_, 0)), taken_(std::exchange(other.taken_, 0)) {}

std::byte* Region::take_bytes(std::int64_t bytes) {
  if (taken_ + bytes > bytes_) throw InternalError("a region of " + std::to_string(bytes_) + " bytes is asked for " + std::to_string(taken_ + bytes));
  std::byte* piece = memory_ + taken_;
  taken_ += bytes;
  return piece;
}

}   // namespace lastro
