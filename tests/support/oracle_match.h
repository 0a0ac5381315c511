#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "model/oracle.h"
#include "support/small_model.h"

namespace lastro {

// How far a tensor's gradient may be from the oracle's in fp64, relative to the largest element of the tensor. Rounding in fp32 gives some 1e-6.
inline constexpr double oracle_tolerance = 2e-5;

struct Distance {
  std::string tensor;
  double relative = 0;
};

// The largest difference of each tensor's gradient, relative to the oracle's largest element of that tensor.
inline std::vector<Distance> distances(const ModelShape& shape, const std::vector<std::vector<float>>& gradients, const Oracle::Answer& answer) {
  std::vector<Distance> distances;
  const auto units = unit_tensors(shape);
  for (std::size_t unit = 0; unit < units.size(); ++unit)
    for (const auto& tensor : units[unit].tensors) {
      double largest = 0, difference = 0;
      for (std::int64_t i = tensor.offset; i < tensor.interval().end; ++i) {
        const double wanted = answer.gradients[unit][static_cast<std::size_t>(i)], found = gradients[unit][static_cast<std::size_t>(i)];
        largest = std::max(largest, std::fabs(wanted));
        difference = std::isfinite(found) ? std::max(difference, std::fabs(found - wanted)) : HUGE_VAL;
      }
      distances.push_back({tensor.name, largest > 0 ? difference / largest : difference});
    }
  return distances;
}

inline Distance worst(const std::vector<Distance>& all) {
  return *std::max_element(all.begin(), all.end(), [](const Distance& a, const Distance& b) { return a.relative < b.relative; });
}

}   // namespace lastro
