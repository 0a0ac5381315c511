#include "kernels/embedding.h"

#include <algorithm>
#include <cstring>

#include "cpu/check.h"
#include "cpu/split.h"
#include "rows_cpu.h"

namespace lastro::kernels {
namespace {

void require_tokens(const char* op, std::span<const std::int32_t> tokens, std::int64_t vocabulary) {
  for (const std::int32_t token : tokens)
    if (token < 0 || token >= vocabulary) refuse(op, "token " + std::to_string(token) + " (the table has " + std::to_string(vocabulary) + " rows)");
}

// Positions by (token, position): counts, then places.
void sort_positions(std::span<const std::int32_t> tokens, std::int64_t vocabulary, std::int32_t* next, std::int32_t* order) {
  std::fill_n(next, vocabulary + 1, 0);
  for (const std::int32_t token : tokens) ++next[token + 1];
  for (std::int64_t token = 0; token < vocabulary; ++token) next[token + 1] += next[token];
  for (std::size_t position = 0; position < tokens.size(); ++position) order[next[tokens[position]]++] = static_cast<std::int32_t>(position);
}

}   // namespace

void embedding_forward(Workers& workers, std::span<const std::int32_t> tokens, ConstMatrix table, Matrix y) {
  require_shape("embedding_forward", "y", y, static_cast<std::int64_t>(tokens.size()), table.columns);
  require_tokens("embedding_forward", tokens, table.rows);
  split(workers, y.rows, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t t = begin; t < end; ++t) std::memcpy(y.row(t), table.row(tokens[t]), static_cast<std::size_t>(y.columns) * sizeof(float));
  });
}

void embedding_backward(Workers& workers, std::span<const std::int32_t> tokens, ConstMatrix dy, Matrix dtable, Start start, Workspace workspace) {
  require_shape("embedding_backward", "dy", dy, static_cast<std::int64_t>(tokens.size()), dtable.columns);
  require_tokens("embedding_backward", tokens, dtable.rows);
  require_workspace("embedding_backward", workspace.size(), embedding_workspace_bytes(dy.rows, dtable.rows));
  Scratch scratch(workspace);
  std::int32_t* const order = scratch.take<std::int32_t>(dy.rows);
  sort_positions(tokens, dtable.rows, scratch.take<std::int32_t>(dtable.rows + 1), order);
  const RowEntries& entries = entries_in_force<RowEntries>();
  // Columns are split, positions are not: a token's chain runs over all of them.
  split(workers, dtable.columns, 16, [&](std::int64_t begin, std::int64_t end) {
    const Matrix columns = dtable.columns_from(begin, end - begin);
    if (start == Start::zero)
      for (std::int64_t row = 0; row < columns.rows; ++row) std::fill_n(columns.row(row), columns.columns, 0.0f);
    entries.add_rows(tokens.data(), order, dy.columns_from(begin, end - begin), columns);
  });
}

std::size_t embedding_workspace_bytes(std::int64_t tokens, std::int64_t vocabulary) {
  return scratch_slack + scratch_bytes(tokens) + scratch_bytes(vocabulary + 1);
}

}   // namespace lastro::kernels
