#include "linear_cpu.h"

#include "cpu/tile.h"

namespace lastro::kernels {
namespace {

constexpr std::int64_t cache_line_floats = 16;

// Rows of a matrix lie pages apart, where the processor fetches nothing ahead by itself.
constexpr std::int64_t rows_ahead = 12;
KERNEL_FN void fetch_ahead(const float* from, std::int64_t count) {
  for (std::int64_t i = 0; i < count; i += cache_line_floats) __builtin_prefetch(from + i);
}

KERNEL_FN void pack_panel(const Product& product, std::int64_t column, float* panel) {
  const float* const b = product.b + column * product.b_column;
  const std::int64_t columns = least(tile_columns, product.columns - column);
  if (columns < tile_columns)
    for (std::int64_t i = 0; i < product.depth * tile_columns; ++i) panel[i] = 0.0f;
  if (product.b_column != 1) return transpose(b, product.b_column, columns, product.depth, panel, tile_columns);
  const std::int64_t b_step = product.b_step;
  if (columns == tile_columns)
    for (std::int64_t k = 0; k < product.depth; ++k) {
      fetch_ahead(b + (k + rows_ahead) * b_step, tile_columns);
#pragma GCC unroll 4
      for (int j = 0; j < tile_vectors; ++j) store(panel + k * tile_columns + j * lanes, load(b + k * b_step + j * lanes));
    }
  else
    for (std::int64_t k = 0; k < product.depth; ++k)
      for (std::int64_t j = 0; j < columns; ++j) panel[k * tile_columns + j] = b[k * b_step + j];
}

// Steps [first, first + count) of the contraction.
struct Depth {
  std::int64_t first, count;
};

// packed[i * a_stride + k] = a(row + i, first + k)
KERNEL_FN void pack_rows(const Product& product, std::int64_t row, std::int64_t rows, const Depth& depth, float* packed) {
  const float* const a = product.a + row * product.a_row + depth.first * product.a_step;
  if (product.a_step != 1) return transpose(a, product.a_step, depth.count, rows, packed, a_stride);
  for (std::int64_t i = 0; i < rows; ++i)
    each(
        depth.count, [&](auto at, auto put) __attribute__((always_inline)) { put(packed + i * a_stride, at(a + i * product.a_row)); });
}

// A tile at the right edge: through a full tile of its own.
template <int rows>
KERNEL_FN void edge_tile(std::int64_t depth, LeftOperand a, const float* panel, float* c, std::int64_t c_row, bool from_c, const float* add,
                         std::int64_t add_row, std::int64_t columns) {
  float tile[rows * tile_columns], addend[rows * tile_columns];
  for (int i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < tile_columns; ++j) {
      tile[i * tile_columns + j] = from_c && j < columns ? c[i * c_row + j] : 0.0f;
      addend[i * tile_columns + j] = add && j < columns ? add[i * add_row + j] : 0.0f;
    }
  chain_tile<rows>(depth, a, panel, tile_columns, tile, tile_columns, from_c, add ? addend : nullptr, tile_columns);
  for (int i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) c[i * c_row + j] = tile[i * tile_columns + j];
}

// What a tile is written to comes while its chains run.
KERNEL_FN void fetch_rows(float* c, std::int64_t c_row, std::int64_t rows) {
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < tile_columns; j += cache_line_floats) __builtin_prefetch(c + i * c_row + j, 1);
}

// The part's tiles of one panel, carried on over one block of the depth.
KERNEL_FN void multiply_panel(const Product& product, const ProductPart& part, const Depth& depth, std::int64_t column, const float* panel,
                              const float* packed_a) {
  const bool from_c = product.carry || depth.first > 0;
  const bool last = depth.first + depth.count >= product.depth;
  const std::int64_t columns = least(tile_columns, part.column_end - column);
  for (std::int64_t row = part.row_begin; row < part.row_end; row += tile_rows) {
    const LeftOperand a{packed_a + (row - part.row_begin) * a_stride, a_stride, 1};
    float* const c = product.c + row * product.c_row + column;
    fetch_rows(c, product.c_row, least(tile_rows, part.row_end - row));
    const float* const add = last && product.add ? product.add + row * product.add_row + column : nullptr;
    with_rows<tile_rows>(
        part.row_end - row, [&](auto rows) __attribute__((always_inline)) {
          if (columns == tile_columns)
            chain_tile<rows.value>(depth.count, a, panel, tile_columns, c, product.c_row, from_c, add, product.add_row);
          else
            edge_tile<rows.value>(depth.count, a, panel, c, product.c_row, from_c, add, product.add_row, columns);
        });
  }
}

void pack(const Product& product, std::int64_t begin, std::int64_t end, float* panels) {
  for (std::int64_t column = begin; column < end; column += tile_columns) pack_panel(product, column, panels + (column - begin) * product.depth);
}

void multiply(const Product& product, const ProductPart& part, const float* panels, float* packed_a) {
  count_piece();
  for (ProductPart some = part; some.row_begin < part.row_end; some.row_begin = some.row_end) {
    some.row_end = least(some.row_begin + a_rows, part.row_end);
    // One round at least: an empty contraction still writes its +0.
    for (Depth depth{0, 0}; depth.first == 0 || depth.first < product.depth; depth.first += block_depth) {
      depth.count = least(block_depth, product.depth - depth.first);
      pack_rows(product, some.row_begin, some.row_end - some.row_begin, depth, packed_a);
      for (std::int64_t column = part.column_begin; column < part.column_end; column += tile_columns)
        multiply_panel(product, some, depth, column, panels + (column - part.column_begin) * product.depth + depth.first * tile_columns, packed_a);
    }
  }
}

}   // namespace

template <>
const LinearEntries OnPath<LinearEntries, isa_path>::entries = {tile_columns, pack, multiply};

}   // namespace lastro::kernels
