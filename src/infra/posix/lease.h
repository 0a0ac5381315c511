#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

namespace lastro {

// The right to write in a folder: a run directory, whose run is alone in it, or a store, which many runs share unless it is swept. It is a lock of
// the operating system on <folder>/lease, so it ends with its holder, however that dies.
class Lease {
 public:
  enum class Kind { alone, shared };

  // Waits up to `patience` for a holder that stands in the way, then throws EnvironmentError naming it (host, process, since when), unless
  // it is one of many; Preempted when asked to stop meanwhile.
  Lease(const std::filesystem::path& folder, std::chrono::milliseconds patience, Kind kind = Kind::alone);
  ~Lease();
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  // Who is alone in a folder now: "process 42 on host since ..."; empty when nobody is.
  static std::optional<std::string> holder(const std::filesystem::path& folder);

 private:
  int fd_;
};

}   // namespace lastro
