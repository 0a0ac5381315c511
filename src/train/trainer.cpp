#include "train/trainer.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>
#include <string>

#include "core/text_of_number.h"
#include "domain/errors.h"
#include "kernels/path.h"
#include "kernels/peak.h"
#include "model/flops.h"
#include "model/tensors.h"
#include "train/engine.h"
#include "train/memory_plan.h"
#include "train/progress.h"
#include "train/resident.h"

namespace lastro {
namespace {

constexpr int attempts_without_memory = 3;

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

std::string fixed(double value, int digits) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, digits).ptr;
  return {text, end};
}

// JSON has no NaN.
Node number_or_null(double value) { return std::isfinite(value) ? Node(value) : Node(nullptr); }

// How much this process has computed with which instructions: what was executed, not what was asked for.
Node executed_kernel_pieces() {
  Node pieces = Node::mapping();
  for (const kernels::CpuPath path : kernels::all_cpu_paths)
    pieces.set(kernels::name_of(path), static_cast<std::int64_t>(kernels::executed_pieces(path)));
  return pieces;
}

// How fast this process goes, as measured; nothing of it enters a result.
class Speed {
 public:
  Speed(RunContext& run, const EngineShape& shape)
      : flops_per_step_(static_cast<double>(leaf_flops(shape.model, shape.leaf, shape.keep).useful()) * static_cast<double>(shape.leaves)),
        tokens_per_step_(static_cast<double>(shape.leaf.rows() * shape.leaves)) {
    measure_peak(run);
  }

  // Every rank calls it together. The peak is measured again after 1, 2, 4, 8, ... steps and only grows: the machine may have been busy with other
  // work. What a step reached can be reached.
  void add_step(RunContext& run, double seconds) {
    last_seconds_ = seconds;
    seconds_ += seconds;
    ++steps_;
    peak_flops_ = std::max(peak_flops_, flops_per_step_ / seconds);
    if (std::has_single_bit(static_cast<std::uint64_t>(steps_))) measure_peak(run);
  }
  double tokens_per_s() const { return tokens_per_step_ / last_seconds_; }
  double share_of_peak() const { return flops_per_step_ / last_seconds_ / peak_flops_; }
  double peak_flops() const { return peak_flops_; }
  std::int64_t steps() const { return steps_; }
  double mean_tokens_per_s() const { return tokens_per_step_ * static_cast<double>(steps_) / seconds_; }
  double mean_share_of_peak() const { return flops_per_step_ * static_cast<double>(steps_) / seconds_ / peak_flops_; }

 private:
  // All ranks at once, as in a step: they may share cores.
  void measure_peak(RunContext& run) {
    run.ranks.barrier();
    std::int64_t megaflops[1] = {static_cast<std::int64_t>(kernels::measure_flops(run.workers, 0.005) * 1e-6)};
    run.ranks.all_sum(megaflops);
    peak_flops_ = std::max(peak_flops_, static_cast<double>(megaflops[0]) * 1e6);
  }

  double flops_per_step_;
  double tokens_per_step_;
  double peak_flops_ = 0;
  double last_seconds_ = 0;
  double seconds_ = 0;
  std::int64_t steps_ = 0;
};

// Before the first update no learning rate has had a say.
const char* remedy_for_divergence(const TrainProgress& progress) {
  return progress.updates > 0 ? "lower optimizer.lr or lengthen optimizer.warmup_steps"
                              : "the initial weights give no finite loss: change settings.model, e.g. its init_std";
}

class Training {
 public:
  Training(RunContext& run, const PretrainSettings& settings, const EngineShape& shape, LeafSource& source)
      : run_(run), settings_(settings), source_(source), engine_(run.ranks, run.workers, shape), progress_(settings.guard), speed_(run, shape) {}

  StageResult run() {
    resume_or_begin();
    while (progress_.steps < settings_.steps) take_step();
    return finish();
  }

 private:
  void resume_or_begin();
  void begin();
  void take_step();
  void learn(const StepGradient& gradient);
  void bear_lost_memory();
  void roll_back();
  void save();
  void save_and_stop();
  void tell(const StepGradient& gradient, double seconds);
  StageResult finish();

  double learning_rate() const { return settings_.optimizer.lr * schedule_factor(schedule_of(settings_), Step{progress_.steps}); }

  RunContext& run_;
  const PretrainSettings& settings_;
  LeafSource& source_;
  Zero3Engine engine_;
  TrainProgress progress_;
  Speed speed_;
  std::int64_t saved_steps_ = -1;   // of the newest save, as asked for
  int attempts_ = 0;                // of the step under way, that ended without memory
};

void Training::resume_or_begin() {
  const auto scalars = run_.checkpoints.load_newest(engine_.state());
  if (!scalars) return begin();
  progress_.from_node(*scalars);
  saved_steps_ = progress_.steps;
  run_.tracker.event("training goes on from step " + text_of(progress_.steps) + " of " + text_of(settings_.steps));
}

void Training::begin() {
  engine_.initialise(run_.seed);
  progress_ = TrainProgress(settings_.guard);
}

void Training::take_step() {
  const auto started = Clock::now();
  const std::int64_t data_step = data_step_of(progress_.steps, progress_.roll_backs);
  const StepGradient gradient = engine_.accumulate(source_, data_step, {.stop_requested = run_.is_asked_to_stop()});
  if (gradient.agreed.allocation_failed) return bear_lost_memory();
  attempts_ = 0;
  learn(gradient);
  tell(gradient, seconds_since(started));
  if (progress_.guard.must_roll_back()) return roll_back();
  if (progress_.steps == settings_.steps) return;
  if (gradient.agreed.stop_requested) save_and_stop();
  if (settings_.checkpoint.every_steps > 0 && progress_.steps % settings_.checkpoint.every_steps == 0) save();
}

void Training::learn(const StepGradient& gradient) {
  const double loss = gradient.agreed.non_finite ? std::numeric_limits<double>::quiet_NaN() : gradient.loss;
  const std::int64_t data_step = data_step_of(progress_.steps, progress_.roll_backs);
  if (progress_.guard.factor(progress_.steps, data_step, loss, gradient.gradient_norm) == 1) {
    const OptimizerSettings& optimizer = settings_.optimizer;
    ++progress_.updates;
    engine_.apply({learning_rate(), optimizer.beta1, optimizer.beta2, optimizer.eps, optimizer.weight_decay, optimizer.clip_norm, progress_.updates});
    progress_.last_loss = gradient.loss;
    progress_.last_norm = gradient.gradient_norm;
  } else {
    run_.tracker.event("step " + text_of(progress_.steps) + " is skipped (" + std::string(name_of(progress_.guard.skips().back().finding)) +
                       ": loss " + fixed(gradient.loss, 4) + ", gradient norm " + fixed(gradient.gradient_norm, 4) + ")");
  }
  ++progress_.steps;
}

void Training::bear_lost_memory() {
  if (++attempts_ == attempts_without_memory)
    throw EnvironmentError("no memory for the data of step " + text_of(progress_.steps) + " (a rank was refused it " +
                           text_of(std::int64_t{attempts_}) + " times) give the ranks more, or run the same command again");
  run_.tracker.event("step " + text_of(progress_.steps) + " is repeated (a rank had no memory for its data)");
}

// Where to go back to depends on steps alone, not on what happens to be saved: from any earlier checkpoint the same steps lead there.
void Training::roll_back() {
  const std::int64_t first_skipped = progress_.steps - progress_.guard.skips_in_a_row();
  const std::int64_t to_step = std::max<std::int64_t>(0, first_skipped - settings_.guard.back_steps);
  std::vector<RollBack> roll_backs = progress_.roll_backs;
  if (static_cast<std::int64_t>(roll_backs.size()) >= settings_.guard.roll_backs)
    throw DivergedError("training diverged at step " + text_of(first_skipped) + ": " + text_of(progress_.guard.skips_in_a_row()) +
                        " steps in a row were skipped, the last for " + std::string(name_of(progress_.guard.skips().back().finding)) + " (after " +
                        text_of(static_cast<std::int64_t>(roll_backs.size())) +
                        " roll-backs of guard.roll_backs=" + text_of(settings_.guard.roll_backs) + ") " + remedy_for_divergence(progress_));
  roll_backs.push_back({to_step, data_step_of(to_step, roll_backs), data_step_of(progress_.steps - 1, roll_backs) + 1});
  if (const auto scalars = run_.checkpoints.roll_back(Step{to_step}, engine_.state()))
    progress_.from_node(*scalars);
  else
    begin();
  progress_.roll_backs = roll_backs;
  saved_steps_ = progress_.steps;
  run_.tracker.event("training rolls back to step " + text_of(to_step) + " and leaves out the data of steps " +
                     text_of(roll_backs.back().data_begin) + " to " + text_of(roll_backs.back().data_end - 1) + "; it goes on from step " +
                     text_of(progress_.steps));
}

void Training::save() {
  run_.checkpoints.save(Step{progress_.steps}, progress_.to_node(), engine_.state());
  saved_steps_ = progress_.steps;
}

void Training::save_and_stop() {
  save();
  const auto newest = run_.checkpoints.finish();
  const std::string place = "stopped after step " + text_of(progress_.steps) + " of " + text_of(settings_.steps);
  if (newest && newest->value == progress_.steps) throw Preempted(place + " (asked to; everything is saved) run the same command to go on");
  throw Preempted(place + " (asked to; the newest whole checkpoint is " + (newest ? "that of step " + text_of(newest->value) : "none") +
                  ") run the same command to go on from there");
}

void Training::tell(const StepGradient& gradient, double seconds) {
  speed_.add_step(run_, seconds);
  Node values = Node::mapping();
  values.set("step", progress_.steps);
  values.set("loss", number_or_null(gradient.loss));
  values.set("learning_rate", settings_.optimizer.lr * schedule_factor(schedule_of(settings_), Step{progress_.steps - 1}));
  values.set("gradient_norm", number_or_null(gradient.gradient_norm));
  values.set("applied", progress_.guard.skips_in_a_row() == 0);
  values.set("tokens", progress_.steps * engine_.tokens_per_step());
  values.set("tokens_per_s", speed_.tokens_per_s());
  values.set("share_of_peak", speed_.share_of_peak());
  values.set("rss_bytes", resident_bytes());
  run_.tracker.metrics(values);
  run_.tracker.progress(progress_.steps, settings_.steps, "steps",
                        "loss " + fixed(gradient.loss, 3) + ", " + fixed(speed_.tokens_per_s(), 0) + " tokens/s, " +
                            fixed(100 * speed_.share_of_peak(), 0) + " % of peak, " + fixed(static_cast<double>(resident_bytes()) * 1e-6, 0) + " MB");
}

StageResult Training::finish() {
  if (saved_steps_ != progress_.steps) save();
  const auto newest = run_.checkpoints.finish();
  if (!newest || newest->value != progress_.steps)
    throw EnvironmentError("the last checkpoint, of step " + text_of(progress_.steps) + ", could not be saved (the newest whole one is " +
                           (newest ? "that of step " + text_of(newest->value) : std::string("none")) +
                           "; the log says why) mend that and run the same command again");
  StageResult result;
  result.content = run_.checkpoints.publish(*newest, run_.output);
  result.summary.set("parameters", parameter_count(engine_.shape().model));
  result.summary.set("steps", progress_.steps);
  result.summary.set("tokens", progress_.steps * engine_.tokens_per_step());
  result.summary.set("loss", progress_.last_loss);
  result.summary.set("skipped_steps", progress_.steps - progress_.updates);
  result.summary.set("roll_backs", static_cast<std::int64_t>(progress_.roll_backs.size()));
  if (speed_.steps() > 0) {
    result.measured.set("tokens_per_s", speed_.mean_tokens_per_s());
    result.measured.set("share_of_peak", speed_.mean_share_of_peak());
    result.measured.set("peak_tflops", speed_.peak_flops() * 1e-12);
  }
  result.measured.set("peak_rss_bytes", peak_resident_bytes());
  result.measured.set("kernel_pieces", executed_kernel_pieces());
  return result;
}

}   // namespace

StageResult train(RunContext& run, const PretrainSettings& settings, const ModelShape& model, LeafSource& source) {
  const EngineShape shape = fit_memory(settings, model, run.ranks.size(), run.workers.size(), run.memory_limit_bytes);
  return Training(run, settings, shape, source).run();
}

}   // namespace lastro
