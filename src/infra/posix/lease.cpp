#include "infra/posix/lease.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <string>
#include <thread>

#include "core/files.h"
#include "domain/errors.h"

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
  return line.empty() ? "a process that has not said its name yet" : line;
}

}   // namespace

Lease::Lease(const std::filesystem::path& run, std::chrono::milliseconds patience) {
  make_folders(run);
  const std::filesystem::path file = run / "lease";
  fd_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd_ < 0) throw EnvironmentError(file.string() + " cannot be opened (" + std::strerror(errno) + ")", "libc", "open", errno);
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (::flock(fd_, LOCK_EX | LOCK_NB) != 0) {
    const int error = errno;
    if (error == EINTR) continue;
    if (error == EWOULDBLOCK && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      continue;
    }
    ::close(fd_);
    if (error != EWOULDBLOCK) throw EnvironmentError(file.string() + " cannot be locked (" + std::strerror(error) + ")", "libc", "flock", error);
    throw EnvironmentError(run.string() + " is in use by " + holder_of(file) +
                           " (two runs in one directory would mix) wait for it, stop it, or choose another --run");
  }
  const std::string line = holder_line();
  if (::ftruncate(fd_, 0) != 0 || ::pwrite(fd_, line.data(), line.size(), 0) != static_cast<ssize_t>(line.size())) {
    const int error = errno;
    ::close(fd_);
    throw EnvironmentError(file.string() + " cannot be written (" + std::strerror(error) + ")", "libc", "write", error);
  }
}

Lease::~Lease() { ::close(fd_); }

}   // namespace lastro
