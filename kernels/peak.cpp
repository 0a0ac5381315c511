#include "kernels/peak.h"

#include <algorithm>
#include <chrono>

#include "cpu/split.h"
#include "vector_cpu.h"

namespace lastro::kernels {
namespace {

double seconds_now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double seconds_for(Workers& workers, const VectorEntries& entries, std::int64_t rounds) {
  const double begin = seconds_now();
  on_workers(workers, [&](int) {
    volatile float kept = entries.multiply_add_rounds(rounds);
    (void)kept;
  });
  return seconds_now() - begin;
}

}   // namespace

double measure_flops(Workers& workers, double seconds) {
  const VectorEntries& entries = entries_in_force<VectorEntries>();
  const double flops_a_round = 2.0 * static_cast<double>(entries.multiply_adds_a_round) * workers.size();
  const double begin = seconds_now();
  std::int64_t rounds = 1000, done = 0;
  double taken = 0;
  while (taken < seconds) {
    const double last = seconds_for(workers, entries, rounds);
    done += rounds;
    if (last < seconds / 20) rounds *= 2;
    taken = seconds_now() - begin;
  }
  return flops_a_round * static_cast<double>(done) / taken;
}

double measure_peak_flops(Workers& workers, double seconds) {
  constexpr int bursts = 20;
  double best = 0;
  for (int burst = 0; burst < bursts; ++burst) best = std::max(best, measure_flops(workers, seconds / bursts));
  return best;
}

}   // namespace lastro::kernels
