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

double measure_peak_flops(Workers& workers, double seconds) {
  const VectorEntries& entries = entries_in_force<VectorEntries>();
  const double flops_a_round = 2.0 * static_cast<double>(entries.multiply_adds_a_round) * workers.size();
  std::int64_t rounds = 1000;
  const double end = seconds_now() + seconds;
  double best = 0;
  do {
    const double taken = seconds_for(workers, entries, rounds);
    best = std::max(best, flops_a_round * static_cast<double>(rounds) / taken);
    if (taken < seconds / 20) rounds *= 2;
  } while (seconds_now() < end);
  return best;
}

}   // namespace lastro::kernels
