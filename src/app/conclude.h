#pragma once

#include <filesystem>

#include "app/command_line.h"
#include "domain/gate.h"
#include "infra/posix/folder_store.h"
#include "runtime/run_record.h"

namespace lastro {

// What a finished run measured, by name: its reports' numbers, the named measurements beside them (xz, ngram5) and cost_total_usd; then the gates'
// answer, entered in the record. `baseline` of the manifest names an earlier report by path or digest.
Verdict judge_run(RunRecord& record, const FolderStore& store);

// The end of a run as a person sees it: differences from the reference, a table of stages, and the verdict as the last line. Returns the exit code:
// 0 for SHIP, 5 for HOLD.
int conclude(const std::filesystem::path& run, const FolderStore& store, const Invocation& invocation);

}   // namespace lastro
