#include "linear_cpu.h"

#include "cpu/tile.h"

namespace lastro::kernels {
namespace {

// panel[k][j] = b(first_k + k, first_column + j); columns beyond the last are 0 and their chains are dropped.
void pack_panel(const Product& product, std::int64_t first_k, std::int64_t depth, std::int64_t first_column, std::int64_t columns, float* panel) {
  const float* b = product.b + first_k * product.b_step + first_column * product.b_column;
  if (product.b_column == 1) {
    for (std::int64_t k = 0; k < depth; ++k, b += product.b_step, panel += tile_columns) {
      if (columns == tile_columns)
        for (int j = 0; j < tile_vectors; ++j) store(panel + j * lanes, load(b + j * lanes));
      else
        for (std::int64_t j = 0; j < tile_columns; ++j) panel[j] = j < columns ? b[j] : 0.0f;
    }
    return;
  }
  for (std::int64_t j = 0; j < tile_columns; ++j)
    for (std::int64_t k = 0; k < depth; ++k) panel[k * tile_columns + j] = j < columns ? b[j * product.b_column + k * product.b_step] : 0.0f;
}

KERNEL_FN void finish_row(float* c, const float* tile, const float* add, std::int64_t columns) {
  for (std::int64_t j = 0; j < columns; ++j) c[j] = add ? add[j] + tile[j] : tile[j];
}

// A tile at the right edge, or one with an addition: through a full tile of its own.
template <int rows>
KERNEL_FN void edge_tile(const Product& product, std::int64_t depth, LeftOperand a, const float* panel, float* c, const float* add,
                         std::int64_t columns, bool from_c) {
  float tile[rows * tile_columns] = {};
  if (from_c)
    for (int i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < columns; ++j) tile[i * tile_columns + j] = c[i * product.c_row + j];
  chain_tile<rows>(depth, a, panel, tile_columns, tile, tile_columns, from_c);
  for (int i = 0; i < rows; ++i)
    finish_row(c + i * product.c_row, tile + i * tile_columns, add ? add + i * product.add_row : nullptr, columns);
}

void multiply(const Product& product, const ProductPart& part, std::int64_t panel_depth, float* panel) {
  count_piece();
  // One round at least: an empty contraction still writes its +0.
  for (std::int64_t first_k = 0; first_k == 0 || first_k < product.depth; first_k += panel_depth) {
    const std::int64_t depth = least(panel_depth, product.depth - first_k);
    const bool from_c = product.carry || first_k > 0;
    const bool last = first_k + depth >= product.depth;
    for (std::int64_t column = part.column_begin; column < part.column_end; column += tile_columns) {
      const std::int64_t columns = least(tile_columns, part.column_end - column);
      pack_panel(product, first_k, depth, column, columns, panel);
      for (std::int64_t row = part.row_begin; row < part.row_end; row += tile_rows) {
        const LeftOperand a{product.a + row * product.a_row + first_k * product.a_step, product.a_row, product.a_step};
        float* const c = product.c + row * product.c_row + column;
        const float* const add = last && product.add ? product.add + row * product.add_row + column : nullptr;
        with_rows<tile_rows>(part.row_end - row, [&](auto rows) __attribute__((always_inline)) {
          if (columns == tile_columns && !add)
            chain_tile<rows.value>(depth, a, panel, tile_columns, c, product.c_row, from_c);
          else
            edge_tile<rows.value>(product, depth, a, panel, c, add, columns, from_c);
        });
      }
    }
  }
}

}  // namespace

template <>
const LinearEntries OnPath<LinearEntries, isa_path>::entries = {tile_rows, tile_columns, multiply};

}  // namespace lastro::kernels
