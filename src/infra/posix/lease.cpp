#include "infra/posix/lease.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <string>
#include <thread>

#include "core/files.h"
#include "core/refused_file.h"
#include "domain/errors.h"
#include "infra/posix/process.h"

namespace lastro {
namespace {

std::string holder_line() {
  char host[256] = "?";
  ::gethostname(host, sizeof host - 1);
  const std::time_t now = std::time(nullptr);
  char when[32];
  std::tm parts;
  std::strftime(when, sizeof when, "%Y-%m-%d %H:%M:%SZ", ::gmtime_r(&now, &parts));
  return "process " + std::to_string(::getpid()) + " on " + host + " since " + when + "\n";
}

std::string holder_of(const std::filesystem::path& file) {
  std::string line = read_file(file);
  if (!line.empty() && line.back() == '\n') line.pop_back();
  return line.empty() ? "another process" : line;
}

}   // namespace

Lease::Lease(const std::filesystem::path& folder, std::chrono::milliseconds patience, Kind kind) {
  make_folders(folder);
  const std::filesystem::path file = folder / "lease";
  fd_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd_ < 0) refuse_file(file, "cannot be opened", "open", errno);
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (::flock(fd_, (kind == Kind::alone ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0) {
    const int error = errno;
    if (error == EINTR) continue;
    if (error == EWOULDBLOCK && stop_was_requested()) {
      ::close(fd_);
      throw Preempted("stopped while " + folder.string() + " was in use by " + holder_of(file));
    }
    if (error == EWOULDBLOCK && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      continue;
    }
    ::close(fd_);
    if (error != EWOULDBLOCK) refuse_file(file, "cannot be locked", "flock", error);
    throw EnvironmentError(folder.string() + " is in use by " + holder_of(file) +
                           " (two that write there would mix) wait for it, stop it, or choose another folder");
  }
  const std::string line = kind == Kind::alone ? holder_line() : "";   // of many, one name would hide the others
  if (::ftruncate(fd_, 0) != 0 || ::pwrite(fd_, line.data(), line.size(), 0) != static_cast<ssize_t>(line.size())) {
    const int error = errno;
    ::close(fd_);
    refuse_file(file, "cannot be written", "write", error);
  }
}

std::optional<std::string> Lease::holder(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "lease";
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return std::nullopt;
  const bool is_held = ::flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(fd);
  return is_held ? std::optional(holder_of(file)) : std::nullopt;
}

Lease::~Lease() { ::close(fd_); }

}   // namespace lastro
