#pragma once

#include "isa.h"   // of the path that this file is compiled for; first, so that the element functions find its overloads

#include <utility>

#include "cpu/table.h"
#include "element/exp_log.h"

// What vector code of every path is written with. Everything here is inlined: a copy compiled for one path must not serve another.
namespace lastro::kernels {
namespace {

KERNEL_FN void count_piece() { __atomic_fetch_add(&piece_counters[static_cast<int>(isa_path)].pieces, 1, __ATOMIC_RELAXED); }

KERNEL_FN std::int64_t least(std::int64_t a, std::int64_t b) { return a < b ? a : b; }

// The first `count` < lanes floats; the others are 0.
KERNEL_FN Floats load_first(const float* from, std::int64_t count) {
  float padded[lanes] = {};
  for (std::int64_t i = 0; i < count; ++i) padded[i] = from[i];
  return load(padded);
}
KERNEL_FN void store_first(float* to, Floats value, std::int64_t count) {
  float padded[lanes];
  store(padded, value);
  for (std::int64_t i = 0; i < count; ++i) to[i] = padded[i];
}

// body(i, load, store) for `count` elements, a register at a time: at(p) reads the elements i.. of p, put(p, v) writes them.
template <class Body>
KERNEL_FN void each(std::int64_t count, const Body& body) {
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes)
    body(
        [i](const float* p) __attribute__((always_inline)) { return load(p + i); }, [i](float* p, Floats v)
                                                                                        __attribute__((always_inline)) { store(p + i, v); });
  if (const std::int64_t rest = count - i)
    body(
        [ i, rest ](const float* p) __attribute__((always_inline)) { return load_first(p + i, rest); },
        [ i, rest ](float* p, Floats v) __attribute__((always_inline)) { store_first(p + i, v, rest); });
}

// Exchanges blocks of `block` x `block` elements off the diagonal between registers `block` apart; for all powers of two, a transposition.
template <int block, int... i>
KERNEL_FN void exchange(Floats& upper, Floats& lower, std::integer_sequence<int, i...>) {
  const Floats u = upper, l = lower;
  upper = __builtin_shufflevector(u, l, ((i & block) ? lanes + i - block : i)...);
  lower = __builtin_shufflevector(u, l, ((i & block) ? lanes + i : i + block)...);
}
template <int block>
KERNEL_FN void exchange_all(Floats (&rows)[lanes]) {
  if constexpr (block < lanes) {
#pragma GCC unroll 16
    for (int r = 0; r < lanes; ++r)
      if (!(r & block)) exchange<block>(rows[r], rows[r + block], std::make_integer_sequence<int, lanes>{});
    exchange_all<2 * block>(rows);
  }
}

// to[k * to_row + j] = from[j * from_row + k], k < depth, j < columns. Rows often lie pages apart, where the processor fetches nothing ahead by
// itself: the next ones are asked for in time.
KERNEL_FN void transpose(const float* from, std::int64_t from_row, std::int64_t columns, std::int64_t depth, float* to, std::int64_t to_row) {
  std::int64_t j = 0;
  for (; lanes > 1 && j + lanes <= columns; j += lanes) {
    std::int64_t k = 0;
    for (; k + lanes <= depth; k += lanes) {
      Floats rows[lanes];
#pragma GCC unroll 16
      for (int r = 0; r < lanes; ++r) {
        rows[r] = load(from + (j + r) * from_row + k);
        __builtin_prefetch(from + (j + lanes + r) * from_row + k);
      }
      exchange_all<1>(rows);
#pragma GCC unroll 16
      for (int r = 0; r < lanes; ++r) store(to + (k + r) * to_row + j, rows[r]);
    }
    for (; k < depth; ++k)
      for (int r = 0; r < lanes; ++r) to[k * to_row + j + r] = from[(j + r) * from_row + k];
  }
  for (; j < columns; ++j)
    for (std::int64_t k = 0; k < depth; ++k) to[k * to_row + j] = from[j * from_row + k];
}

// The sixteen running sums of the rules: element i of a row goes to lane i mod 16.
struct SixteenLanes {
  static constexpr int registers = 16 / lanes;
  Floats part[registers];

  KERNEL_FN SixteenLanes() {
    for (int r = 0; r < registers; ++r) part[r] = splat(0.0f);
  }
  // lane i + lane i+8, +4, +2, +1
  KERNEL_FN float tree() const {
    float sum[16];
    for (int r = 0; r < registers; ++r) store(sum + r * lanes, part[r]);
    for (int half = 8; half > 0; half /= 2)
      for (int i = 0; i < half; ++i) sum[i] += sum[i + half];
    return sum[0];
  }
};

// step(lane_register, at) for every register of a row of `count` elements, 16 elements a round; a short last round leaves out the lanes
// that have no element: their registers keep what they hold.
template <class Step>
KERNEL_FN void each_of_sixteen(std::int64_t count, SixteenLanes& sums, const Step& step) {
  std::int64_t i = 0;
  for (; i + 16 <= count; i += 16)
    for (int r = 0; r < SixteenLanes::registers; ++r) {
      const std::int64_t first = i + r * lanes;
      sums.part[r] = step(
          sums.part[r], [first](const float* p) __attribute__((always_inline)) { return load(p + first); });
    }
  for (int r = 0; i < count && r < SixteenLanes::registers; ++r, i += lanes) {
    const std::int64_t first = i, rest = least(count - i, lanes);
    const Floats longer = step(
        sums.part[r],
        [ first, rest ](const float* p) __attribute__((always_inline)) { return rest == lanes ? load(p + first) : load_first(p + first, rest); });
    float kept[lanes], taken[lanes];
    store(kept, sums.part[r]);
    store(taken, longer);
    for (std::int64_t lane = 0; lane < rest; ++lane) kept[lane] = taken[lane];
    sums.part[r] = load(kept);
  }
}

}   // namespace
}   // namespace lastro::kernels
