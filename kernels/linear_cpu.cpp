#include "linear_cpu.h"

#include "cpu/tile.h"

namespace lastro::kernels {
namespace {

constexpr std::int64_t cache_line_floats = 16;

// Columns [first, first + columns) of a depth of b.
struct Block {
  std::int64_t first_k, depth, first_column, columns;
};

// Rows of a matrix lie pages apart, where the processor fetches nothing ahead by itself.
constexpr std::int64_t rows_ahead = 12;
KERNEL_FN void fetch_ahead(const float* from, std::int64_t count) {
  for (std::int64_t i = 0; i < count; i += cache_line_floats) __builtin_prefetch(from + i);
}

// panel[k][j] = b(first_k + k, column + j); columns beyond the last are 0 and their chains are dropped.
KERNEL_FN void pack_panel(const Product& product, std::int64_t first_k, std::int64_t depth, std::int64_t column, std::int64_t columns, float* panel) {
  const float* const b = product.b + first_k * product.b_step + column * product.b_column;
  if (columns < tile_columns)
    for (std::int64_t i = 0; i < depth * tile_columns; ++i) panel[i] = 0.0f;
  if (product.b_column != 1) return transpose(b, product.b_column, columns, depth, panel, tile_columns);
  const std::int64_t b_step = product.b_step;
  if (columns == tile_columns)
    for (std::int64_t k = 0; k < depth; ++k) {
      fetch_ahead(b + (k + rows_ahead) * b_step, tile_columns);
#pragma GCC unroll 4
      for (int j = 0; j < tile_vectors; ++j) store(panel + k * tile_columns + j * lanes, load(b + k * b_step + j * lanes));
    }
  else
    for (std::int64_t k = 0; k < depth; ++k)
      for (std::int64_t j = 0; j < columns; ++j) panel[k * tile_columns + j] = b[k * b_step + j];
}

KERNEL_FN std::int64_t packed_tile_floats(std::int64_t depth) { return depth * tile_rows + a_gap; }

// packed[tile][k][i] = a(row + tile * tile_rows + i, first_k + k), where rows lie side by side. Full tiles are copied by whole registers, each
// overwriting what the one before wrote too much; the last one's rest falls into the gap.
KERNEL_FN void pack_rows(const Product& product, std::int64_t row, std::int64_t rows, std::int64_t first_k, std::int64_t depth, float* packed) {
  for (std::int64_t k = 0; k < depth; ++k) {
    const float* const a = product.a + row + (first_k + k) * product.a_step;
    fetch_ahead(a + rows_ahead * product.a_step, rows);
    for (std::int64_t i = 0; i < rows; i += tile_rows) {
      float* const to = packed + i / tile_rows * packed_tile_floats(depth) + k * tile_rows;
      if (i + round_up(tile_rows, lanes) <= rows)
        for (int r = 0; r < tile_rows; r += lanes) store(to + r, load(a + i + r));
      else
        for (std::int64_t r = 0; r < tile_rows; ++r) to[r] = i + r < rows ? a[i + r] : 0.0f;
    }
  }
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

// The tile's rows from `row`, of which those from row_begin are packed.
KERNEL_FN LeftOperand left_operand(const Product& product, const Block& block, std::int64_t row_begin, std::int64_t row, const float* packed) {
  if (product.a_step != 1) return {packed + (row - row_begin) / tile_rows * packed_tile_floats(block.depth), 1, tile_rows};
  return {product.a + row * product.a_row + block.first_k, product.a_row, 1};
}

// The tiles of rows [row_begin, row_end) and the block's columns.
KERNEL_FN void multiply_block(const Product& product, const Block& block, std::int64_t row_begin, std::int64_t row_end, const PackedBlocks& packed) {
  const bool from_c = product.carry || block.first_k > 0;
  const bool last = block.first_k + block.depth >= product.depth;
  for (std::int64_t j = 0; j < block.columns; j += tile_columns) {
    const float* const panel = packed.b + j * block.depth;
    const std::int64_t column = block.first_column + j, columns = least(tile_columns, block.columns - j);
    for (std::int64_t row = row_begin; row < row_end; row += tile_rows) {
      const LeftOperand a = left_operand(product, block, row_begin, row, packed.a);
      float* const c = product.c + row * product.c_row + column;
      fetch_rows(c, product.c_row, least(tile_rows, row_end - row));
      const float* const add = last && product.add ? product.add + row * product.add_row + column : nullptr;
      with_rows<tile_rows>(
          row_end - row, [&](auto rows) __attribute__((always_inline)) {
            if (columns == tile_columns)
              chain_tile<rows.value>(block.depth, a, panel, tile_columns, c, product.c_row, from_c, add, product.add_row);
            else
              edge_tile<rows.value>(block.depth, a, panel, c, product.c_row, from_c, add, product.add_row, columns);
          });
    }
  }
}

void multiply(const Product& product, const ProductPart& part, const PackedBlocks& packed) {
  count_piece();
  const std::int64_t most_columns = b_floats_of(packed.depth) / packed.depth / tile_columns * tile_columns;
  Block block;
  for (block.first_column = part.column_begin; block.first_column < part.column_end; block.first_column += most_columns) {
    block.columns = least(most_columns, part.column_end - block.first_column);
    // One round at least: an empty contraction still writes its +0.
    for (block.first_k = 0; block.first_k == 0 || block.first_k < product.depth; block.first_k += packed.depth) {
      block.depth = least(packed.depth, product.depth - block.first_k);
      for (std::int64_t j = 0; j < block.columns; j += tile_columns)
        pack_panel(product, block.first_k, block.depth, block.first_column + j, least(tile_columns, block.columns - j), packed.b + j * block.depth);
      for (std::int64_t row = part.row_begin; row < part.row_end; row += a_rows) {
        const std::int64_t rows = least(a_rows, part.row_end - row);
        if (product.a_step != 1) pack_rows(product, row, rows, block.first_k, block.depth, packed.a);
        multiply_block(product, block, row, row + rows, packed);
      }
    }
  }
}

}   // namespace

template <>
const LinearEntries OnPath<LinearEntries, isa_path>::entries = {tile_rows, tile_columns, multiply};

}   // namespace lastro::kernels
