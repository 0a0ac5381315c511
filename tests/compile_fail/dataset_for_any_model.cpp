#include "tests/core/toy_stages.h"

// Evaluation takes any model, and a dataset is none.
lastro::toy::EvaluateStage::Inputs wrong(const lastro::Dataset& dataset) { return {dataset, dataset, {}}; }
