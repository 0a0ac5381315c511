#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "data/file_digests.h"
#include "domain/manifest.h"
#include "domain/problem.h"
#include "domain/source.h"

namespace lastro {

// Where a source is declared, for messages.
struct SourcePlace {
  std::string file;                    // the manifest
  std::filesystem::path base_folder;   // what a relative path starts from; empty: the working directory
};

// Finds a source's files and their digests. Adds problems (no such file, a pattern that matches nothing, an empty file, mixed formats)
// and returns nothing when there are any.
std::optional<Source> resolve_source(const SourceSpec& declared, const SourcePlace& place, FileDigests& digests, Problems& problems);

}   // namespace lastro
