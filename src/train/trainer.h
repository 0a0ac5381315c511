#pragma once

#include "core/stage.h"
#include "model/shape.h"
#include "train/leaf_source.h"
#include "train/settings.h"

namespace lastro {

// Trains from scratch or from this stage's newest verified checkpoint to settings.steps, and publishes the last checkpoint into run.output.
// Result: content = the digest of the logical state; summary {parameters, steps, tokens, loss, skipped_steps, roll_backs}; measured
// {tokens_per_s, share_of_peak, peak_tflops, peak_rss_bytes}. Every rank calls it together and gets the same summary.
//
// Same settings, seed, model and data: same state, whatever ranks, threads, restarts and saves. `model` is complete.
// Throws Preempted after saving when any rank was asked to stop, DivergedError when the guard's roll-backs are used up, BudgetError when
// the memory plan does not fit, UsageError when there are more ranks than leaves.
StageResult train(RunContext& run, const PretrainSettings& settings, const ModelShape& model, LeafSource& source);

}   // namespace lastro
