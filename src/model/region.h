#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace lastro {

// A block of zeroed memory of its own, with huge pages where the system grants them. Every page is touched at construction, so that what
// is there is there before the first step. Handed out from the front in pieces that begin at multiples of 64 bytes.
class Region {
 public:
  static constexpr std::int64_t alignment = 64;
  // Bytes that a piece of `count` elements of T takes.
  template <class T>
  static constexpr std::int64_t bytes_of(std::int64_t count) {
    return (count * static_cast<std::int64_t>(sizeof(T)) + alignment - 1) / alignment * alignment;
  }

  // Throws BudgetError when the system has no memory; `what` names the use in its message.
  Region(std::int64_t bytes, const char* what);
  ~Region();
  Region(Region&& other) noexcept;
  Region& operator=(Region&&) = delete;

  // The next piece, a multiple of the alignment long. Throws InternalError when it does not fit.
  template <class T>
  std::span<T> take(std::int64_t count) {
    return {reinterpret_cast<T*>(take_bytes(bytes_of<T>(count))), static_cast<std::size_t>(count)};
  }

  std::int64_t bytes() const { return bytes_; }
  std::int64_t taken() const { return taken_; }

 private:
  std::byte* take_bytes(std::int64_t bytes);

  std::byte* memory_ = nullptr;
  std::int64_t bytes_ = 0;
  std::int64_t taken_ = 0;
};

}   // namespace lastro
