#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/matrix.h"
#include "model/region.h"

namespace lastro {

// Cuts one block of memory into arrays, each at a multiple of 64 bytes, and counts the bytes by class. Without memory it only counts: the
// same code that lays memory out says beforehand how much there will be.
template <class Class, std::size_t classes>
class Carver {
 public:
  static constexpr std::size_t alignment = Region::alignment;

  Carver() = default;
  explicit Carver(Region& memory) : memory_(memory.take<std::byte>(memory.bytes()).data()) {}

  template <class T>
  T* take(std::int64_t count, Class what) {
    T* place = memory_ ? reinterpret_cast<T*>(memory_ + at_) : nullptr;
    const std::size_t bytes = (static_cast<std::size_t>(count) * sizeof(T) + alignment - 1) / alignment * alignment;
    at_ += bytes;
    by_class_[static_cast<std::size_t>(what)] += static_cast<std::int64_t>(bytes);
    return place;
  }
  kernels::Matrix matrix(std::int64_t rows, std::int64_t columns, Class what) { return {take<float>(rows * columns, what), rows, columns}; }
  kernels::Workspace workspace(std::size_t bytes, Class what) { return {take<std::byte>(static_cast<std::int64_t>(bytes), what), bytes}; }

  std::int64_t bytes_of(Class what) const { return by_class_[static_cast<std::size_t>(what)]; }
  std::size_t total() const { return at_; }

 private:
  std::byte* memory_ = nullptr;
  std::size_t at_ = 0;
  std::array<std::int64_t, classes> by_class_{};
};

}   // namespace lastro
