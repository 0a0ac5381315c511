#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>

#include "core/stage.h"

namespace lastro {

// Runs a rank's own part of a phase and waits for the others. When a part throws, every rank throws: the one it happened to its own error,
// the others one that names the rank. When a rank was asked to stop, all throw Preempted. `part` calls no collective.
void together(RunContext& run, const std::function<void()>& part);

// Memory that a phase may use for `share` parts in 64 of the rank's limit.
inline std::int64_t memory_share(const RunContext& run, int share) {
  constexpr std::int64_t usual = std::int64_t{1} << 30;
  const std::int64_t limit = run.memory_limit_bytes > 0 ? run.memory_limit_bytes : usual;
  return std::clamp<std::int64_t>(limit / 64 * share, 64 * 1024, usual);
}

}   // namespace lastro
