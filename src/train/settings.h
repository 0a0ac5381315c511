#pragma once

#include <array>
#include <cstdint>
#include <tuple>

#include "core/settings.h"
#include "model/shape.h"
#include "train/guard.h"
#include "train/schedule.h"

namespace lastro {

struct BatchSettings {
  std::int64_t leaves = 16;
  std::int64_t sequences_per_leaf = 2;
  bool operator==(const BatchSettings&) const = default;
  static constexpr std::tuple fields{
      field("leaves", &BatchSettings::leaves,
            {.doc = "micro-batches of a step, folded in order; at least as many as ranks", .unit = "leaves", .min = 1, .max = 1048576}),
      field("sequences_per_leaf", &BatchSettings::sequences_per_leaf,
            {.doc = "sequences of a leaf, each `context` tokens long", .unit = "sequences", .min = 1, .max = 1048576})};
};

enum class OptimizerKind { adamw };
constexpr auto enum_names(OptimizerKind) { return std::array{EnumName<OptimizerKind>{OptimizerKind::adamw, "adamw"}}; }

// AdamW (Loshchilov and Hutter, "Decoupled weight decay regularization", 2019) and how its learning rate goes.
struct OptimizerSettings {
  OptimizerKind kind = OptimizerKind::adamw;
  double lr = 3e-3;
  Schedule schedule = Schedule::wsd;
  std::int64_t warmup_steps = 20;
  double decay_fraction = 0.2;
  double min_ratio = 0.1;
  double beta1 = 0.9;
  double beta2 = 0.95;
  double eps = 1e-8;
  double weight_decay = 0.1;
  double clip_norm = 1.0;
  bool operator==(const OptimizerSettings&) const = default;
  static constexpr std::tuple fields{
      field("kind", &OptimizerSettings::kind, {.doc = "which optimizer"}),
      field("lr", &OptimizerSettings::lr, {.doc = "learning rate at its peak", .min = 0.0, .max = 1.0}),
      field("schedule", &OptimizerSettings::schedule, {.doc = "how the learning rate goes after the warm-up"}),
      field("warmup_steps", &OptimizerSettings::warmup_steps,
            {.doc = "steps over which the learning rate rises to its peak", .unit = "steps", .min = 0}),
      field("decay_fraction", &OptimizerSettings::decay_fraction,
            {.doc = "wsd: the last share of the run, in which the learning rate falls", .min = 0.0, .max = 1.0}),
      field("min_ratio", &OptimizerSettings::min_ratio, {.doc = "learning rate at the end, as a share of its peak", .min = 0.0, .max = 1.0}),
      field("beta1", &OptimizerSettings::beta1, {.doc = "how much of the mean gradient is kept from step to step", .min = 0.0, .max = 0.999999}),
      field("beta2", &OptimizerSettings::beta2,
            {.doc = "how much of the mean squared gradient is kept from step to step", .min = 0.0, .max = 0.999999999}),
      field("eps", &OptimizerSettings::eps, {.doc = "added to the root of the mean squared gradient", .min = 1e-30, .max = 1.0}),
      field("weight_decay", &OptimizerSettings::weight_decay,
            {.doc = "share of a matrix taken off in a step, times the learning rate; norms do not decay", .min = 0.0, .max = 10.0}),
      field("clip_norm", &OptimizerSettings::clip_norm, {.doc = "a gradient longer than this is shortened to it; 0: never", .min = 0.0})};
};

struct SaveSettings {
  std::int64_t every_steps = 50;
  std::int64_t keep = 3;
  bool operator==(const SaveSettings&) const = default;
  static constexpr std::tuple fields{
      field("every_steps", &SaveSettings::every_steps,
            {.doc = "a checkpoint is saved so often; 0: at the end alone", .unit = "steps", .min = 0, .bears = Bears::nothing}),
      field("keep", &SaveSettings::keep,
            {.doc = "verified checkpoints that stay", .unit = "checkpoints", .min = 1, .max = 1000, .bears = Bears::nothing})};
};

// Whether the inside of each block is computed again in the backward pass, to save memory. Never changes a bit.
enum class Recompute { automatic, never, blocks };
constexpr auto enum_names(Recompute) {
  return std::array{EnumName<Recompute>{Recompute::automatic, "auto"}, EnumName<Recompute>{Recompute::never, "never"},
                    EnumName<Recompute>{Recompute::blocks, "blocks"}};
}

struct PretrainSettings {
  ModelShape model;
  BatchSettings batch;
  std::int64_t steps = 600;
  OptimizerSettings optimizer;
  GuardSettings guard;
  SaveSettings checkpoint;
  Recompute recompute = Recompute::automatic;
  bool operator==(const PretrainSettings&) const = default;
  static constexpr std::tuple fields{
      field("model", &PretrainSettings::model, {.doc = "the model's shape"}),
      field("batch", &PretrainSettings::batch, {.doc = "what one step learns from"}),
      field("steps", &PretrainSettings::steps, {.doc = "length of the run", .unit = "steps", .min = 1, .max = 1'000'000'000}),
      field("optimizer", &PretrainSettings::optimizer, {.doc = "how weights follow gradients"}),
      field("guard", &PretrainSettings::guard, {.doc = "which steps are not applied"}),
      field("checkpoint", &PretrainSettings::checkpoint, {.doc = "how often training is saved", .bears = Bears::nothing}),
      field("recompute", &PretrainSettings::recompute,
            {.doc = "compute the inside of blocks again in the backward pass; auto: where memory is short", .bears = Bears::nothing})};
};

// What is wrong between fields; the model's own problems included. Ranges are checked by `fields`.
std::vector<CrossProblem> cross_problems(const PretrainSettings& settings);

ScheduleShape schedule_of(const PretrainSettings& settings);

}   // namespace lastro
