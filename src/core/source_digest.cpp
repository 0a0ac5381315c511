#include "core/source_digest.h"

#include <algorithm>

#include "core/hash.h"
#include "domain/errors.h"
#include "domain/problem.h"

namespace lastro {

Digest digest_of(const Source& source) {
  if (is_generated(source.format))
    return sha256((source.format == SourceFormat::stories ? "stories seed " : "questions seed ") + std::to_string(source.generated_seed) + " bytes " +
                  std::to_string(source.generated_bytes));
  if (source.files.size() == 1) return source.files[0].sha256;
  std::vector<Digest> digests;
  for (const SourceFile& file : source.files) digests.push_back(file.sha256);
  std::sort(digests.begin(), digests.end());
  Sha256 hash;
  for (const Digest& digest : digests) hash.update(std::as_bytes(std::span(digest.bytes)));
  return hash.finish();
}

void check_source_digests(const Manifest& manifest, const Sources& sources) {
  for (const Source& source : sources) {
    const SourceSpec* spec = manifest.find_source(source.name);
    if (!spec || !spec->expected_sha256 || *spec->expected_sha256 == digest_of(source)) continue;
    const std::string wanted = spec->expected_sha256->to_string(), found = digest_of(source).to_string();
    const Problem problem{manifest.file, spec->sha256_mark,
                          "sources." + source.name + " has content " + found + " (wanted " + wanted +
                              ") bring back the old text, or write sha256: auto to take the new one"};
    throw ContractError(problem.to_string(), "sources." + source.name, wanted, found);
  }
}

}   // namespace lastro
