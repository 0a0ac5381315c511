#pragma once

#include "domain/manifest.h"
#include "domain/source.h"

namespace lastro {

// The content of a source: its file's SHA-256; of several files, the SHA-256 of their digests in ascending order; of what is generated, that
// of a text that says which.
Digest digest_of(const Source& source);

// Throws ContractError (place in the manifest, hash wanted and found) unless every source has the content that the manifest wants.
void check_source_digests(const Manifest& manifest, const Sources& sources);

}   // namespace lastro
