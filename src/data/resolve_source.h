#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "domain/manifest.h"
#include "data/file_digests.h"
#include "domain/problem.h"
#include "domain/source.h"

namespace lastro {

// Where a source is declared, for messages.
struct SourcePlace {
  std::string file;                       // the manifest
  std::filesystem::path base_folder;      // what a relative path starts from; empty: the working directory
};

// Finds a source's files and their digests. Adds problems (no such file, a pattern that matches nothing, an empty file, mixed formats,
// another digest than declared) and returns nothing when there are any.
std::optional<Source> resolve_source(const SourceSpec& declared, const SourcePlace& place, FileDigests& digests, Problems& problems);

// Of a source's content, whatever its files are called and in whatever order they are found: the digest of a single file; of several, over
// their digests in ascending order; of stories, over their parameters. What `sha256:` in a manifest is held against.
Digest content_digest(const Source& source);

// Of everything about a source that a stage's result can depend on: its name, content, format, weight, licence, field and share. Not where
// its files are.
Digest source_digest(const Source& source);

}  // namespace lastro
