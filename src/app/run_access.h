#pragma once

#include <filesystem>
#include <initializer_list>

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

struct FoundArtifact {
  std::string stage;
  ArtifactRecord record;
  std::filesystem::path folder;
};

// The artifact of the last stage of the run that made one of these types. Throws UsageError when none did.
FoundArtifact newest_artifact(const OpenedRun& run, std::initializer_list<ArtifactType> types);
inline FoundArtifact newest_model(const OpenedRun& run) {
  return newest_artifact(run, {ArtifactType::checkpoint, ArtifactType::sft_model, ArtifactType::policy});
}

}   // namespace lastro
