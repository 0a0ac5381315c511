#pragma once

#include <cstdint>

#include "cpu/table.h"

namespace lastro::kernels {

// c [rows, columns] = a . b, contracted over `depth`; a(i, k) = a[i * a_row + k * a_step], b(k, j) = b[k * b_step + j * b_column], where
// b_step or b_column is 1, and so is a_row or a_step. `carry` begins at c; `add` (may be null, else a_step is 1) is added to finished chains.
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

// What is packed at a time. A panel of b is [depth, tile columns]; at the usual depth it fills half of a first-level cache of 32 KiB. A block
// of b is as many panels as fit b_floats, one of a (only where a's steps are apart) a_rows rows: it stays in the second-level cache while
// the panels of b pass. Chains rest in c between depths; where c is the addition itself, the depth is the chain's whole length.
inline constexpr std::int64_t usual_depth = 256;
inline constexpr std::int64_t b_columns = 512;
inline constexpr std::int64_t a_rows = 96;   // a whole number of tiles on every path
inline constexpr std::int64_t most_tile_columns = 32;
struct PackedBlocks {
  std::int64_t depth;
  float* a;   // [a_rows / tile_rows][depth, tile_rows], each with a_gap floats behind it
  float* b;   // [b_floats_of(depth)]
};
constexpr std::int64_t b_floats_of(std::int64_t depth) {
  const std::int64_t usual = usual_depth * b_columns, least = depth * most_tile_columns;
  return usual > least ? usual : least;
}
inline constexpr std::int64_t a_gap = 16;
inline constexpr std::int64_t a_floats = a_rows * (usual_depth + a_gap);

struct LinearEntries {
  int tile_rows;
  int tile_columns;
  void (*multiply)(const Product& product, const ProductPart& part, const PackedBlocks& blocks);
};
template <>
const LinearEntries OnPath<LinearEntries, CpuPath::scalar>::entries;
template <>
const LinearEntries OnPath<LinearEntries, CpuPath::v3>::entries;
template <>
const LinearEntries OnPath<LinearEntries, CpuPath::v4>::entries;

}   // namespace lastro::kernels
