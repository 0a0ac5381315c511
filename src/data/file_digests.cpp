#include "data/file_digests.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <sstream>
#include <system_error>

#include "core/hash.h"
#include "core/refused_file.h"
#include "data/text_size.h"
#include "domain/errors.h"

namespace lastro {
namespace {

constexpr std::size_t most_entries = 20000;

struct stat status_of(const std::filesystem::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) == 0) return status;
  refuse_file(file, "cannot be examined", "stat", errno);
}

std::string identity_of(const struct stat& s) {
  std::string text;
  for (const auto part : {static_cast<std::int64_t>(s.st_dev), static_cast<std::int64_t>(s.st_ino), static_cast<std::int64_t>(s.st_size),
                          static_cast<std::int64_t>(s.st_mtim.tv_sec), static_cast<std::int64_t>(s.st_mtim.tv_nsec),
                          static_cast<std::int64_t>(s.st_ctim.tv_sec), static_cast<std::int64_t>(s.st_ctim.tv_nsec)})
    text += std::to_string(part) + ".";
  return text;
}

bool has_settled(const struct stat& s) { return std::time(nullptr) - std::max(s.st_mtim.tv_sec, s.st_ctim.tv_sec) > 2; }

}   // namespace

FileDigests::FileDigests(std::filesystem::path cache_file) : cache_file_(std::move(cache_file)) {
  if (cache_file_.empty()) return;
  std::ifstream stream(cache_file_);
  for (std::string line; known_.size() < most_entries && std::getline(stream, line);) {
    std::istringstream fields(line);
    std::string identity, hex;
    std::uint64_t text_bytes = 0;
    fields >> identity >> hex >> text_bytes;
    if (const auto digest = Digest::parse(hex); digest && fields) known_.emplace(identity, Known{*digest, text_bytes});
  }
}

SourceFile FileDigests::of(const std::filesystem::path& file) {
  const struct stat before = status_of(file);
  const std::string identity = identity_of(before);
  const auto bytes = static_cast<std::uint64_t>(before.st_size);
  if (const auto found = known_.find(identity); found != known_.end()) return {file, found->second.sha256, bytes, found->second.text_bytes};
  const Known fresh{sha256_file(file), text_bytes_of(file)};
  if (identity_of(status_of(file)) != identity)
    throw ContractError(file.string() + " changed while it was read (something writes to it). Wait until it is whole", file.string(),
                        "a file at rest", "a file being written");
  if (has_settled(before)) {
    known_.emplace(identity, fresh);
    has_news_ = true;
  }
  return {file, fresh.sha256, bytes, fresh.text_bytes};
}

void FileDigests::save() const {
  if (cache_file_.empty() || !has_news_) return;
  std::error_code ignored;
  std::filesystem::create_directories(cache_file_.parent_path(), ignored);
  const std::filesystem::path fresh = cache_file_.string() + "." + std::to_string(::getpid());
  {
    std::ofstream stream(fresh);
    for (const auto& [identity, known] : known_) stream << identity << ' ' << known.sha256.hex() << ' ' << known.text_bytes << '\n';
    if (!stream.flush()) {
      std::filesystem::remove(fresh, ignored);
      return;
    }
  }
  std::filesystem::rename(fresh, cache_file_, ignored);
}

std::filesystem::path default_digest_cache() {
  if (const char* folder = std::getenv("XDG_CACHE_HOME"); folder && *folder) return std::filesystem::path(folder) / "lastro" / "file-digests";
  if (const char* home = std::getenv("HOME"); home && *home) return std::filesystem::path(home) / ".cache" / "lastro" / "file-digests";
  return {};
}

}   // namespace lastro
