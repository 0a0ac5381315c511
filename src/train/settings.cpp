#include "train/settings.h"

#include <string>
#include <vector>

namespace lastro {

std::vector<CrossProblem> cross_problems(const PretrainSettings& settings) {
  std::vector<CrossProblem> problems = cross_problems(settings.model);
  for (CrossProblem& problem : problems)
    for (std::string& field : problem.fields) field.insert(0, "model.");
  if (settings.optimizer.warmup_steps > settings.steps)
    problems.push_back({{"optimizer.warmup_steps", "steps"},
                        "optimizer.warmup_steps=" + std::to_string(settings.optimizer.warmup_steps) + " of steps=" + std::to_string(settings.steps) +
                            " (the learning rate would never reach its peak) take at most a tenth of the steps"});
  return problems;
}

ScheduleShape schedule_of(const PretrainSettings& settings) {
  return {settings.optimizer.schedule, settings.steps, settings.optimizer.warmup_steps, settings.optimizer.decay_fraction,
          settings.optimizer.min_ratio};
}

}   // namespace lastro
