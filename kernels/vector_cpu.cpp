#include "vector_cpu.h"

#include "cpu/lanes.h"
#include "element/adamw.h"

namespace lastro::kernels {
namespace {

void adamw(const AdamwFactors& factors, std::int64_t count, float* parameters, float* m, float* v, const float* gradient) {
  count_piece();
  each(
      count, [&](auto at, auto put) __attribute__((always_inline)) {
        const AdamwElement<Floats> old{at(parameters), at(m), at(v)};
        const AdamwElement<Floats> made = adamw_element(old, at(gradient), factors);
        put(parameters, made.parameter);
        put(m, made.m);
        put(v, made.v);
      });
}

float sum(const float* x, std::int64_t count) {
  count_piece();
  SixteenLanes sums;
  each_of_sixteen(
      count, sums, [&](Floats sum, auto at) __attribute__((always_inline)) { return sum + at(x); });
  return sums.tree();
}

float sum_of_squares(const float* x, std::int64_t count) {
  count_piece();
  SixteenLanes sums;
  each_of_sixteen(
      count, sums, [&](Floats sum, auto at) __attribute__((always_inline)) { return fma(at(x), at(x), sum); });
  return sums.tree();
}

void scale(float* x, std::int64_t count, float factor) {
  count_piece();
  each(
      count, [&](auto at, auto put) __attribute__((always_inline)) { put(x, at(x) * splat(factor)); });
}

void add(float* accumulator, const float* x, std::int64_t count) {
  count_piece();
  each(
      count, [&](auto at, auto put) __attribute__((always_inline)) { put(accumulator, at(accumulator) + at(x)); });
}

constexpr int independent_chains = 12;

float multiply_add_rounds(std::int64_t rounds) {
  count_piece();
  Floats chains[independent_chains];
  for (int i = 0; i < independent_chains; ++i) chains[i] = splat(static_cast<float>(i));
  Floats factor = splat(0.999f), addend = splat(0.001f);
  for (std::int64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
    for (int i = 0; i < independent_chains; ++i) chains[i] = fma(chains[i], factor, addend);
  }
  Floats all = splat(0.0f);
  for (const Floats& chain : chains) all = all + chain;
  float each_lane[lanes];
  store(each_lane, all);
  return each_lane[0];
}

}   // namespace

template <>
const VectorEntries OnPath<VectorEntries, isa_path>::entries = {
    adamw, sum, sum_of_squares, scale, add, multiply_add_rounds, independent_chains* lanes};

}   // namespace lastro::kernels
