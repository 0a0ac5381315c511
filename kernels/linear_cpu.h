#pragma once

#include <cstdint>

#include "cpu/table.h"

namespace lastro::kernels {

// c [rows, columns] = a . b, contracted over `depth`; a(i, k) = a[i * a_row + k * a_step], b(k, j) = b[k * b_step + j * b_column], where
// b_step or b_column is 1, and so is a_row or a_step. `carry` begins at c; `add` (may be null) is added to finished chains.
struct Product {
  const float* a;
  std::int64_t a_row, a_step;
  const float* b;
  std::int64_t b_step, b_column;
  float* c;
  std::int64_t c_row;
  const float* add;
  std::int64_t add_row;
  std::int64_t rows, columns, depth;
  bool carry;
};
struct ProductPart {
  std::int64_t row_begin, row_end, column_begin, column_end;   // column_begin is a multiple of tile_columns
};

// Chains rest in c between blocks of the depth: long ones, since a tile's way in and out of its registers costs more than panels of b
// that come from the second-level cache. There a_rows rows of a stay while the panels pass. (Measured on Zen 3.)
inline constexpr std::int64_t block_depth = 512;
inline constexpr std::int64_t a_rows = 48;                   // a whole number of tiles on every path
inline constexpr std::int64_t a_stride = block_depth + 16;   // rows of a power of two would meet in the same places of a cache
inline constexpr std::int64_t a_floats = a_rows * a_stride;

struct LinearEntries {
  int tile_columns;
  // Columns [begin, end) of b, in panels [depth, tile_columns]; `begin` is a multiple of tile_columns, columns beyond the last are 0.
  void (*pack)(const Product& product, std::int64_t begin, std::int64_t end, float* panels);
  // `panels` begin with the part's first column; packed_a [a_floats] is scratch.
  void (*multiply)(const Product& product, const ProductPart& part, const float* panels, float* packed_a);
};
template <>
const LinearEntries OnPath<LinearEntries, CpuPath::scalar>::entries;
template <>
const LinearEntries OnPath<LinearEntries, CpuPath::v3>::entries;
template <>
const LinearEntries OnPath<LinearEntries, CpuPath::v4>::entries;

}   // namespace lastro::kernels
