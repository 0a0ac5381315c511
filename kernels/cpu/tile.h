#pragma once

#include "cpu/lanes.h"

// The heart of every contraction: a tile of output chains held in registers.
namespace lastro::kernels {
namespace {

constexpr int tile_vectors = 2;
constexpr int tile_columns = tile_vectors * lanes;

// a(i, k) is data[i * row + k * step].
struct LeftOperand {
  const float* data;
  std::int64_t row;
  std::int64_t step;
};

// sums[i][j] carried on over k = 0 .. depth-1: sum(i, j) = fma(a(i, k), b[k * b_step + j], sum(i, j)). tile_steps at a time: where a
// processor shares its decoder with another thread, the loop's own instructions would show.
template <int rows>
KERNEL_FN void carry_on(std::int64_t depth, LeftOperand a, const float* b, std::int64_t b_step, Floats (&sums)[rows][tile_vectors]) {
  const auto step = [&](int ahead) __attribute__((always_inline)) {
    Floats panel[tile_vectors];
#pragma GCC unroll 4
    for (int j = 0; j < tile_vectors; ++j) panel[j] = load(b + ahead * b_step + j * lanes);
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) {
      const Floats left = splat(a.data[i * a.row + ahead * a.step]);
#pragma GCC unroll 4
      for (int j = 0; j < tile_vectors; ++j) carry(sums[i][j], left, panel[j]);
    }
  };
  for (; depth >= tile_steps; depth -= tile_steps) {
#pragma GCC unroll 16
    for (int ahead = 0; ahead < tile_steps; ++ahead) step(ahead);
    a.data += tile_steps * a.step;
    b += tile_steps * b_step;
  }
  for (; depth > 0; --depth) {
    step(0);
    a.data += a.step;
    b += b_step;
  }
}

// The same from and to memory: c [rows, tile_columns], begun at +0 or at what c holds; `add` (may be null) is added to the finished sums.
template <int rows>
KERNEL_FN void chain_tile(std::int64_t depth, LeftOperand a, const float* b, std::int64_t b_step, float* c, std::int64_t c_row, bool from_c,
                          const float* add = nullptr, std::int64_t add_row = 0) {
  Floats sums[rows][tile_vectors];
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 4
    for (int j = 0; j < tile_vectors; ++j) sums[i][j] = from_c ? load(c + i * c_row + j * lanes) : splat(0.0f);
  carry_on<rows>(depth, a, b, b_step, sums);
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 4
    for (int j = 0; j < tile_vectors; ++j) store(c + i * c_row + j * lanes, add ? load(add + i * add_row + j * lanes) + sums[i][j] : sums[i][j]);
}

// Steps of a contraction: those that every row of a tile takes, and around them those that only some rows take.
struct Steps {
  std::int64_t begin, common_begin, common_end, end;
};

// c [rows, tile_columns] carried on; row i takes a step k outside the common ones where takes(i, k).
template <int rows, class Takes>
KERNEL_FN void stair_tile(const Steps& steps, LeftOperand a, const float* b, std::int64_t b_step, float* c, std::int64_t c_row, const Takes& takes) {
  Floats sums[rows][tile_vectors];
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 4
    for (int j = 0; j < tile_vectors; ++j) sums[i][j] = load(c + i * c_row + j * lanes);
  const auto some_rows = [&](std::int64_t k) __attribute__((always_inline)) {
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i)
      if (takes(i, k)) {
        const Floats left = splat(a.data[i * a.row + k * a.step]);
#pragma GCC unroll 4
        for (int j = 0; j < tile_vectors; ++j) sums[i][j] = fma(left, load(b + k * b_step + j * lanes), sums[i][j]);
      }
  };
  for (std::int64_t k = steps.begin; k < steps.common_begin; ++k) some_rows(k);
  const std::int64_t common = steps.common_begin;
  carry_on<rows>(steps.common_end - common, {a.data + common * a.step, a.row, a.step}, b + common * b_step, b_step, sums);
  for (std::int64_t k = steps.common_end; k < steps.end; ++k) some_rows(k);
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 4
    for (int j = 0; j < tile_vectors; ++j) store(c + i * c_row + j * lanes, sums[i][j]);
}

// body(Rows<n>) for a row count n known at run time, 1 .. most; more rows count as most.
template <int count>
struct Rows {
  static constexpr int value = count;
};
template <int most, class Body>
KERNEL_FN void with_rows(std::int64_t rows, const Body& body) {
  if constexpr (most > 1) {
    if (rows < most) return with_rows<most - 1>(rows, body);
  }
  body(Rows<most>{});
}

}   // namespace
}   // namespace lastro::kernels
