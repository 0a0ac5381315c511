#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "domain/digest.h"
#include "domain/source.h"

namespace lastro {

// Digests and sizes of files, remembered from run to run under the file's identity (device, inode, size, times), so that looking again costs a
// stat. A file that changed within the last two seconds is not remembered: a second change could hide behind the same times.
// Only a cache: a wrong or missing file of it costs time, nothing else.
class FileDigests {
 public:
  // `cache_file` may be missing; empty: remembers nothing beyond this object.
  explicit FileDigests(std::filesystem::path cache_file = {});

  // Throws EnvironmentError when the file cannot be read.
  SourceFile of(const std::filesystem::path& file);

  // Writes the cache when something new is in it. Failure is no error.
  void save() const;

 private:
  std::filesystem::path cache_file_;
  struct Known {
    Digest sha256;
    std::uint64_t text_bytes = 0;
  };
  std::map<std::string, Known> known_;   // by identity
  bool has_news_ = false;
};

// file-digests in the user's cache folder ($XDG_CACHE_HOME or ~/.cache, /lastro); empty when there is none.
std::filesystem::path default_digest_cache();

}   // namespace lastro
