#pragma once

#include <filesystem>

#include "core/stage.h"
#include "data/dataset_settings.h"
#include "domain/artifact.h"
#include "domain/source.h"

namespace lastro {

// Makes a Dataset artifact (dataset_layout.h) in run.output: reads and cleans the sources, removes exact duplicates, documents that hold an
// evaluation item and near-duplicates, holds a share out, tokenises the rest and writes shards, in that order. Every byte is the same for
// any number of ranks and threads, any memory limit, and any order and naming of a source's files. Memory stays under the rank's limit;
// what does not fit lies in run.work, about twice the text.
// Throws ContractError when a source is not what was planned, or when no text or a single text is left.
StageResult build_dataset(RunContext& run, const DatasetSettings& settings, const Tokenizer& tokenizer, const Sources& text,
                          const Sources& evaluation);

}   // namespace lastro
