#pragma once

#include <chrono>
#include <filesystem>

namespace lastro {

// The right to write in a run directory. It is a lock of the operating system on <run>/lease, so it ends with its holder, however that dies.
class Lease {
 public:
  // Waits up to `patience` for another holder, then throws EnvironmentError naming it (host, process, since when).
  Lease(const std::filesystem::path& run, std::chrono::milliseconds patience);
  ~Lease();
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

 private:
  int fd_;
};

}   // namespace lastro
