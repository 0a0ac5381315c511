#pragma once

#include <vector>

#include "core/documents.h"
#include "core/stage.h"

namespace lastro {

// Tells of the rows that hold no text: how many of each source, and the first by file and line. Throws ContractError when no row of a
// source has text, or more than ten are malformed and more than `most_share` of its rows. Called by all ranks together, each with what it
// read; `reports` has one entry a source.
void judge_malformed_rows(RunContext& run, const Sources& sources, const std::vector<ReadReport::OfSource>& reports, double most_share);

}   // namespace lastro
