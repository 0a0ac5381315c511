#pragma once

#include <cstdint>

#include "cpu/table.h"
#include "kernels/matrix.h"

namespace lastro::kernels {

struct HeadEntries {
  // Of one row of logits.
  float (*logsumexp)(const float* logits, std::int64_t vocabulary);
  // In place: logits -> gradient of the logits, dlog_prob * (one at the target - probability).
  void (*gradient)(float* logits, std::int64_t vocabulary, float logsumexp, std::int64_t target, float dlog_prob);
  void (*subtract)(float* logits, std::int64_t vocabulary, float logsumexp);
};
template <>
const HeadEntries OnPath<HeadEntries, CpuPath::scalar>::entries;
template <>
const HeadEntries OnPath<HeadEntries, CpuPath::v3>::entries;
template <>
const HeadEntries OnPath<HeadEntries, CpuPath::v4>::entries;

}   // namespace lastro::kernels
