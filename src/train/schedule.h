#pragma once

#include <array>
#include <cstdint>

#include "core/settings.h"
#include "domain/ids.h"

namespace lastro {

enum class Schedule { cosine, wsd };
constexpr auto enum_names(Schedule) { return std::array{EnumName<Schedule>{Schedule::cosine, "cosine"}, EnumName<Schedule>{Schedule::wsd, "wsd"}}; }

// How the learning rate goes over a run: up over `warmup_steps` in a straight line, then
//   cosine: down to min_ratio along half a cosine (Loshchilov and Hutter, "SGDR", 2017);
//   wsd:    level, and over the last decay_fraction of the run down to min_ratio by 1 - sqrt (warm-up, stable, decay: Hägele et al.,
//           "Scaling laws and compute-optimal training beyond fixed training durations", 2024).
struct ScheduleShape {
  Schedule kind = Schedule::wsd;
  std::int64_t steps = 1;
  std::int64_t warmup_steps = 0;
  double decay_fraction = 0.2;
  double min_ratio = 0.1;
};

// The factor in (0, 1] on the peak learning rate for the step that follows `done` steps. A function of its arguments alone, by IEEE
// operations and the product's own cosine: the same bits on any machine, and nothing to save.
double schedule_factor(const ScheduleShape& shape, Step done);

}   // namespace lastro
