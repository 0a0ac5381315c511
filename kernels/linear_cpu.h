#pragma once

#include <cstdint>

#include "cpu/table.h"

namespace lastro::kernels {

// c [rows, columns] = a . b, contracted over `depth`; a(i, k) = a[i * a_row + k * a_step], b(k, j) = b[k * b_step + j * b_column], where
// b_step or b_column is 1. `carry` begins at c; `add` (may be null) is added to finished chains.
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
  std::int64_t row_begin, row_end, column_begin, column_end;   // column_begin and row_begin are multiples of the tile's
};

// Depth of a packed panel: with 16 columns, a panel fills half of a first-level cache of 32 KiB. Chains rest in c between panels; with an
// addition, which may be c itself, a chain has one panel as deep as itself.
inline constexpr std::int64_t usual_panel_depth = 256;

struct LinearEntries {
  int tile_rows;
  int tile_columns;
  void (*multiply)(const Product& product, const ProductPart& part, std::int64_t panel_depth, float* panel /* [panel_depth, tile_columns] */);
};
template <>
const LinearEntries OnPath<LinearEntries, CpuPath::scalar>::entries;
template <>
const LinearEntries OnPath<LinearEntries, CpuPath::v3>::entries;
template <>
const LinearEntries OnPath<LinearEntries, CpuPath::v4>::entries;

}  // namespace lastro::kernels
