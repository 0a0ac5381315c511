#include "infer/sampler.h"

#include <algorithm>
#include <cmath>

#include "domain/errors.h"

namespace lastro {

namespace {

// e^x for x <= 0: x = k log 2 + r, e^r by Taylor's series as one chain of fused multiply-adds, 2^k exactly. Not libm's, whose results differ
// by processor and release. Error below 1e-15; 0 where fp64 has no normal number.
double exp_of_nonpositive(double x) {
  if (x < -700) return 0;
  const double k = std::nearbyint(x * 1.4426950408889634);
  const double r = std::fma(k, -1.9082149292705877e-10, std::fma(k, -6.93147180369123816490e-01, x));
  double series = 1;
  for (int n = 14; n >= 1; --n) series = std::fma(series, r / n, 1.0);
  return std::ldexp(series, static_cast<int>(k));
}

TokenId likeliest(std::span<const float> logits) {
  return static_cast<TokenId>(std::max_element(logits.begin(), logits.end()) - logits.begin());   // the first of equals
}

}   // namespace

void TokenSampler::keep_top_p() {
  double total = 0;
  for (const Candidate& candidate : candidates_) total += candidate.share;
  double kept = 0;
  std::size_t count = 0;
  while (count < candidates_.size() && (count == 0 || kept < sampling_.top_p * total)) kept += candidates_[count++].share;
  candidates_.resize(count);
}

TokenId TokenSampler::draw(std::span<const float> logits, double chance) {
  for (const float logit : logits)
    if (std::isnan(logit))
      throw DivergedError("the model's logits are not numbers (its training diverged, or its weights are damaged) verify the run");
  if (sampling_.temperature == 0) return likeliest(logits);

  candidates_.clear();
  const double highest = logits[likeliest(logits)];
  for (std::size_t token = 0; token < logits.size(); ++token)
    candidates_.push_back({static_cast<TokenId>(token), exp_of_nonpositive((logits[token] - highest) / sampling_.temperature)});
  // Likeliest first, equals by id: one order for one set of logits.
  std::sort(candidates_.begin(), candidates_.end(),
            [](const Candidate& a, const Candidate& b) { return a.share != b.share ? a.share > b.share : a.token < b.token; });
  if (sampling_.top_k > 0) candidates_.resize(std::min(candidates_.size(), static_cast<std::size_t>(sampling_.top_k)));
  if (sampling_.top_p < 1) keep_top_p();

  double total = 0;
  for (const Candidate& candidate : candidates_) total += candidate.share;
  double passed = 0;
  for (const Candidate& candidate : candidates_) {
    passed += candidate.share;
    if (passed > chance * total) return candidate.token;
  }
  return candidates_.back().token;
}

}   // namespace lastro
