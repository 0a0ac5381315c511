#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "app/command_line.h"
#include "domain/artifact.h"
#include "infra/posix/folder_store.h"
#include "runtime/run_record.h"

namespace lastro {

// A finished or half-finished run, as the commands that look at one open it. RUN is a run directory or the manifest.out.yaml in it.
struct OpenedRun {
  std::filesystem::path folder;
  RunRecord record;
  FolderStore store;
};

// Throws UsageError when there is no run.
OpenedRun open_run(const Invocation& invocation);

// A report (.json), a record, or the record in a run directory, as `baseline` or `reference`, the `field` of a manifest, names it. Throws UsageError
// where it is not there, ContractError where it is neither.
Node earlier_run(const std::string& field, std::filesystem::path file);

struct FoundArtifact {
  std::string stage;
  ArtifactRecord record;
  std::filesystem::path folder;
};

// What makes an artifact good again that is damaged or gone: of a stage of the run, or (`stage` is empty) of another run's. Damages that are mended
// one by one, in any order, are mended together.
std::string remedy_for_damage(const FolderStore& store, const Digest& digest, const std::string& stage);

// The record of what a stage of the run made. Throws ContractError when it is not there, or damaged.
ArtifactRecord expect_artifact(const FolderStore& store, const Digest& digest, const std::string& stage);

// Hashes an artifact again; throws ContractError with the first damage and what mends it.
void expect_whole(const FolderStore& store, const Digest& digest, const std::string& stage);

// As expect_whole, by the sizes of its files alone, which takes microseconds.
void expect_sizes(const FolderStore& store, const ArtifactRecord& artifact, const std::string& stage);

// The artifact, hashed again, of the last stage of the run that made one of these types. Throws UsageError when none did, ContractError when it is
// damaged or gone.
FoundArtifact newest_artifact(const OpenedRun& run, std::span<const ArtifactType> types);
inline FoundArtifact newest_model(const OpenedRun& run) { return newest_artifact(run, AnyModel::accepts); }

}   // namespace lastro
