#include "kernels/linear.h"

#include <algorithm>

#include "cpu/check.h"
#include "cpu/split.h"
#include "linear_cpu.h"

namespace lastro::kernels {
namespace {

// How many of the workers divide the columns; the others divide the rows.
int column_workers(std::int64_t row_tiles, std::int64_t column_tiles, int workers) {
  int best = workers;
  std::int64_t least_tiles = 0;
  for (int columns = workers; columns >= 1; --columns) {
    if (workers % columns) continue;
    const int rows = workers / columns;
    const std::int64_t tiles = ((column_tiles + columns - 1) / columns) * ((row_tiles + rows - 1) / rows);
    if (columns == workers || tiles < least_tiles) best = columns, least_tiles = tiles;
  }
  return best;
}

std::size_t blocks_bytes(std::int64_t depth) { return scratch_bytes(a_floats) + scratch_bytes(b_floats_of(depth)); }

void multiply(Workers& workers, const Product& product, Workspace workspace) {
  const LinearEntries& entries = entries_in_force<LinearEntries>();
  const std::int64_t row_tiles = (product.rows + entries.tile_rows - 1) / entries.tile_rows;
  const std::int64_t column_tiles = (product.columns + entries.tile_columns - 1) / entries.tile_columns;
  const int columns = column_workers(row_tiles, column_tiles, workers.size());
  const int rows = workers.size() / columns;
  const bool adds_in_place = product.add == product.c && product.add;
  const std::int64_t depth = adds_in_place ? std::max(product.depth, usual_depth) : usual_depth;
  std::byte* const blocks = Scratch(workspace).take<std::byte>(0);
  on_workers(workers, [&](int worker) {
    const Part row_part = part_of(row_tiles, worker / columns, rows);
    const Part column_part = part_of(column_tiles, worker % columns, columns);
    const ProductPart part{row_part.begin * entries.tile_rows, std::min(row_part.end * entries.tile_rows, product.rows),
                           column_part.begin * entries.tile_columns, std::min(column_part.end * entries.tile_columns, product.columns)};
    float* const a = reinterpret_cast<float*>(blocks + worker * blocks_bytes(depth));
    if (part.row_begin < part.row_end && part.column_begin < part.column_end)
      entries.multiply(product, part, {depth, a, a + scratch_bytes(a_floats) / sizeof(float)});
  });
}

void require_room(const char* op, Workers& workers, std::int64_t inputs, Workspace workspace) {
  require_workspace(op, workspace.size(), linear_workspace_bytes(0, inputs, 0, workers.size()));
}

}   // namespace

void linear_forward(Workers& workers, ConstMatrix x, ConstMatrix weight, Matrix y, Start start, Workspace workspace) {
  require_shape("linear_forward", "weight", weight, y.columns, x.columns);
  require_shape("linear_forward", "y", y, x.rows, weight.rows);
  require_room("linear_forward", workers, 0, workspace);
  multiply(workers,
           {x.data, x.stride, 1, weight.data, 1, weight.stride, y.data, y.stride, nullptr, 0, y.rows, y.columns, x.columns, start == Start::output},
           workspace);
}

void linear_forward_add(Workers& workers, ConstMatrix x, ConstMatrix weight, ConstMatrix residual, Matrix y, Workspace workspace) {
  require_shape("linear_forward_add", "weight", weight, y.columns, x.columns);
  require_shape("linear_forward_add", "y", y, x.rows, weight.rows);
  require_shape("linear_forward_add", "residual", residual, y.rows, y.columns);
  require_room("linear_forward_add", workers, x.columns, workspace);
  multiply(
      workers,
      {x.data, x.stride, 1, weight.data, 1, weight.stride, y.data, y.stride, residual.data, residual.stride, y.rows, y.columns, x.columns, false},
      workspace);
}

void linear_backward_input(Workers& workers, ConstMatrix dy, ConstMatrix weight, Matrix dx, Start start, Workspace workspace) {
  require_shape("linear_backward_input", "weight", weight, dy.columns, dx.columns);
  require_shape("linear_backward_input", "dx", dx, dy.rows, weight.columns);
  require_room("linear_backward_input", workers, 0, workspace);
  multiply(
      workers,
      {dy.data, dy.stride, 1, weight.data, weight.stride, 1, dx.data, dx.stride, nullptr, 0, dx.rows, dx.columns, dy.columns, start == Start::output},
      workspace);
}

void linear_backward_weight(Workers& workers, ConstMatrix dy, ConstMatrix x, Matrix dweight, Start start, Workspace workspace) {
  require_shape("linear_backward_weight", "x", x, dy.rows, dweight.columns);
  require_shape("linear_backward_weight", "dweight", dweight, dy.columns, x.columns);
  require_room("linear_backward_weight", workers, 0, workspace);
  multiply(workers,
           {dy.data, 1, dy.stride, x.data, x.stride, 1, dweight.data, dweight.stride, nullptr, 0, dweight.rows, dweight.columns, dy.rows,
            start == Start::output},
           workspace);
}

std::size_t linear_workspace_bytes(std::int64_t, std::int64_t inputs, std::int64_t, int workers) {
  return scratch_slack + blocks_bytes(std::max(inputs, usual_depth)) * static_cast<std::size_t>(workers);
}

}   // namespace lastro::kernels
