#pragma once

#include <cstdint>
#include <string>

#include "kernels/matrix.h"

namespace lastro::kernels {

// Shape contracts of the public functions. Each throws InternalError that names op, argument, found and wanted.
template <class T>
std::string shape_text(const MatrixView<T>& matrix) {
  return "[" + std::to_string(matrix.rows) + ", " + std::to_string(matrix.columns) + "]";
}
[[noreturn]] void refuse(const char* op, const std::string& what);

template <class T>
void require_shape(const char* op, const char* name, const MatrixView<T>& matrix, std::int64_t rows, std::int64_t columns) {
  const bool fits = matrix.rows == rows && matrix.columns == columns && matrix.stride >= columns && (matrix.data || rows * columns == 0);
  if (!fits)
    refuse(op, std::string(name) + " is " + shape_text(matrix) + " with stride " + std::to_string(matrix.stride) + " (wanted [" +
                   std::to_string(rows) + ", " + std::to_string(columns) + "])");
}
void require_count(const char* op, const char* name, std::int64_t found, std::int64_t wanted);
void require_workspace(const char* op, std::size_t found, std::size_t wanted);

// Hands out a workspace's memory, each piece on a cache line.
class Scratch {
 public:
  explicit Scratch(Workspace workspace);
  template <class T>
  T* take(std::int64_t count) {
    return reinterpret_cast<T*>(take_bytes(static_cast<std::size_t>(count) * sizeof(T)));
  }

 private:
  std::byte* take_bytes(std::size_t bytes);
  std::byte* next_;
};
// Bytes that `Scratch` uses up for a piece; and what alignment of the whole may cost.
constexpr std::size_t scratch_bytes(std::int64_t count, std::size_t size = sizeof(float)) {
  return (static_cast<std::size_t>(count) * size + 63) / 64 * 64;
}
inline constexpr std::size_t scratch_slack = 64;

}   // namespace lastro::kernels
