#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace lastro::kernels {

// A view of `rows` x `columns` elements; element (r, c) is data[r * stride + c]. Several tensors may share one matrix by columns.
template <class T>
struct MatrixView {
  T* data = nullptr;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t stride = 0;   // elements from one row to the next; at least `columns`

  MatrixView() = default;
  MatrixView(T* data, std::int64_t rows, std::int64_t columns) : MatrixView(data, rows, columns, columns) {}
  MatrixView(T* data, std::int64_t rows, std::int64_t columns, std::int64_t stride) : data(data), rows(rows), columns(columns), stride(stride) {}
  operator MatrixView<const T>() const requires(!std::is_const_v<T>) { return {data, rows, columns, stride}; }

  T* row(std::int64_t r) const { return data + r * stride; }
  MatrixView rows_from(std::int64_t first, std::int64_t count) const { return {row(first), count, columns, stride}; }
  MatrixView columns_from(std::int64_t first, std::int64_t count) const { return {data + first, rows, count, stride}; }
};
using Matrix = MatrixView<float>;
using ConstMatrix = MatrixView<const float>;

// Where a chain of fused multiply-adds begins: at +0, or at what the output holds (a chain cut in two and carried on).
enum class Start { zero, output };

// Scratch memory of the caller, of any alignment; each header says how many bytes its op wants. Kernels allocate nothing.
using Workspace = std::span<std::byte>;

}   // namespace lastro::kernels
