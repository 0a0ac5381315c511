#include "head_cpu.h"

#include "cpu/lanes.h"

namespace lastro::kernels {
namespace {

// The order of a maximum leaves no trace, so four registers hide the latency.
float most_of(const float* x, std::int64_t count) {
  constexpr int registers = 4;
  Floats most[registers];
  for (Floats& one : most) one = splat(x[0]);
  std::int64_t i = 0;
  for (; i + registers * lanes <= count; i += registers * lanes)
#pragma GCC unroll 4
    for (int r = 0; r < registers; ++r) {
      const Floats next = load(x + i + r * lanes);
      most[r] = most[r] > next ? most[r] : next;
    }
  float each[registers * lanes];
  for (int r = 0; r < registers; ++r) store(each + r * lanes, most[r]);
  float all = each[0];
  for (const float one : each) all = all > one ? all : one;
  for (; i < count; ++i) all = all > x[i] ? all : x[i];
  return all;
}

float logsumexp(const float* logits, std::int64_t vocabulary) {
  count_piece();
  const float most = most_of(logits, vocabulary);
  SixteenLanes sums;
  each_of_sixteen(
      vocabulary, sums, [&](Floats sum, auto at) __attribute__((always_inline)) { return sum + exp_of(at(logits) - splat(most)); });
  float log_sum[lanes];
  store(log_sum, log_of(splat(sums.tree())));
  return most + log_sum[0];
}

void gradient(float* logits, std::int64_t vocabulary, float logsumexp, std::int64_t target, float dlog_prob) {
  const float at_target = logits[target];
  each(
      vocabulary, [&](auto at, auto put) __attribute__((always_inline)) { put(logits, splat(-dlog_prob) * exp_of(at(logits) - splat(logsumexp))); });
  float probability[lanes];
  store(probability, exp_of(splat(at_target - logsumexp)));
  logits[target] = dlog_prob * (1.0f - probability[0]);
}

void subtract(float* logits, std::int64_t vocabulary, float logsumexp) {
  each(
      vocabulary, [&](auto at, auto put) __attribute__((always_inline)) { put(logits, at(logits) - splat(logsumexp)); });
}

}   // namespace

template <>
const HeadEntries OnPath<HeadEntries, isa_path>::entries = {logsumexp, gradient, subtract};

}   // namespace lastro::kernels
