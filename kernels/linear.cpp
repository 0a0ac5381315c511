#include "kernels/linear.h"

#include <algorithm>

#include "cpu/check.h"
#include "cpu/split.h"
#include "linear_cpu.h"

namespace lastro::kernels {
namespace {

// What is packed of b at a time, for all workers: at least one panel of any tile's width.
constexpr std::int64_t panel_floats = std::int64_t{1} << 19;
constexpr std::int64_t packed_depth = 2048;
constexpr std::int64_t row_grain = 24;   // a whole number of tiles on every path

// The steps of the contraction from `first`, as many as are packed at a time; the chains go on from those before.
Product steps_from(const Product& product, std::int64_t first) {
  Product some = product;
  some.depth = std::min(packed_depth, product.depth - first);
  some.a += first * product.a_step;
  some.b += first * product.b_step;
  some.carry = product.carry || first > 0;
  if (first + some.depth < product.depth) some.add = nullptr;
  return some;
}

// Columns packed at a time: evenly shared out over as few times as the memory allows.
std::int64_t columns_at_a_time(const Product& product, std::int64_t tile_columns) {
  const std::int64_t most = panel_floats / std::max<std::int64_t>(product.depth, 1) / tile_columns * tile_columns;
  const std::int64_t times = (product.columns + most - 1) / most;
  return times > 1 ? ((product.columns + times - 1) / times + tile_columns - 1) / tile_columns * tile_columns : product.columns;
}

// Deals out [rows] x [columns from .. to): by rows, and where these are few by columns too. Items count rows first, so that a part is a few
// contiguous pieces.
template <class Task>
void deal_tiles(Workers& workers, std::int64_t rows, std::int64_t column_begin, std::int64_t column_end, std::int64_t tile_columns,
                const Task& task) {
  const std::int64_t row_items = (rows + row_grain - 1) / row_grain, column_tiles = (column_end - column_begin + tile_columns - 1) / tile_columns;
  const std::int64_t wanted = workers.size() > 1 ? 8 * workers.size() : 1;
  const std::int64_t column_items = std::min(column_tiles, (wanted + row_items - 1) / row_items);
  const std::int64_t item_columns = (column_tiles + column_items - 1) / column_items * tile_columns;
  deal(workers, row_items * column_items, 1, [&](int worker, std::int64_t item, std::int64_t end) {
    while (item < end) {
      const std::int64_t first = item % row_items, last = std::min(row_items, first + end - item);
      const std::int64_t column = column_begin + item / row_items * item_columns;
      if (column < column_end)
        task(worker, ProductPart{first * row_grain, std::min(rows, last * row_grain), column, std::min(column_end, column + item_columns)});
      item += last - first;
    }
  });
}

void multiply_steps(Workers& workers, const Product& product, Scratch scratch) {
  const LinearEntries& entries = entries_in_force<LinearEntries>();
  float* const panels = scratch.take<float>(panel_floats);
  float* const packed_a = scratch.take<float>(a_floats * workers.size());
  const std::int64_t columns = columns_at_a_time(product, entries.tile_columns);
  for (std::int64_t first = 0; first < product.columns; first += columns) {
    const std::int64_t last = std::min(product.columns, first + columns);
    split(workers, last - first, entries.tile_columns,
          [&](std::int64_t begin, std::int64_t end) { entries.pack(product, first + begin, first + end, panels + begin * product.depth); });
    deal_tiles(workers, product.rows, first, last, entries.tile_columns, [&](int worker, const ProductPart& part) {
      entries.multiply(product, part, panels + (part.column_begin - first) * product.depth, packed_a + worker * a_floats);
    });
  }
}

void multiply(const char* op, Workers& workers, const Product& product, Workspace workspace) {
  require_workspace(op, workspace.size(), linear_workspace_bytes(workers.size()));
  if (product.rows < 1) return;
  // One round at least: an empty contraction still writes its +0.
  for (std::int64_t k = 0; k == 0 || k < product.depth; k += packed_depth) multiply_steps(workers, steps_from(product, k), Scratch(workspace));
}

}   // namespace

void linear_forward(Workers& workers, ConstMatrix x, ConstMatrix weight, Matrix y, Start start, Workspace workspace) {
  require_shape("linear_forward", "weight", weight, y.columns, x.columns);
  require_shape("linear_forward", "y", y, x.rows, weight.rows);
  multiply("linear_forward", workers,
           {x.data, x.stride, 1, weight.data, 1, weight.stride, y.data, y.stride, nullptr, 0, y.rows, y.columns, x.columns, start == Start::output},
           workspace);
}

void linear_forward_add(Workers& workers, ConstMatrix x, ConstMatrix weight, ConstMatrix residual, Matrix y, Workspace workspace) {
  require_shape("linear_forward_add", "weight", weight, y.columns, x.columns);
  require_shape("linear_forward_add", "y", y, x.rows, weight.rows);
  require_shape("linear_forward_add", "residual", residual, y.rows, y.columns);
  multiply(
      "linear_forward_add", workers,
      {x.data, x.stride, 1, weight.data, 1, weight.stride, y.data, y.stride, residual.data, residual.stride, y.rows, y.columns, x.columns, false},
      workspace);
}

void linear_backward_input(Workers& workers, ConstMatrix dy, ConstMatrix weight, Matrix dx, Start start, Workspace workspace) {
  require_shape("linear_backward_input", "weight", weight, dy.columns, dx.columns);
  require_shape("linear_backward_input", "dx", dx, dy.rows, weight.columns);
  multiply(
      "linear_backward_input", workers,
      {dy.data, dy.stride, 1, weight.data, weight.stride, 1, dx.data, dx.stride, nullptr, 0, dx.rows, dx.columns, dy.columns, start == Start::output},
      workspace);
}

void linear_backward_weight(Workers& workers, ConstMatrix dy, ConstMatrix x, Matrix dweight, Start start, Workspace workspace) {
  require_shape("linear_backward_weight", "x", x, dy.rows, dweight.columns);
  require_shape("linear_backward_weight", "dweight", dweight, dy.columns, x.columns);
  multiply("linear_backward_weight", workers,
           {dy.data, 1, dy.stride, x.data, x.stride, 1, dweight.data, dweight.stride, nullptr, 0, dweight.rows, dweight.columns, dy.rows,
            start == Start::output},
           workspace);
}

std::size_t linear_workspace_bytes(int workers) {
  return scratch_slack + scratch_bytes(panel_floats) + scratch_bytes(a_floats) * static_cast<std::size_t>(workers);
}

}   // namespace lastro::kernels
