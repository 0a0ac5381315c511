#include "cpu/check.h"

#include "domain/errors.h"

namespace lastro::kernels {

void refuse(const char* op, const std::string& what) { throw InternalError(std::string(op) + ": " + what); }

void require_count(const char* op, const char* name, std::int64_t found, std::int64_t wanted) {
  if (found != wanted) refuse(op, std::string(name) + " holds " + std::to_string(found) + " elements (wanted " + std::to_string(wanted) + ")");
}

void require_workspace(const char* op, std::size_t found, std::size_t wanted) {
  if (found < wanted) refuse(op, "workspace has " + std::to_string(found) + " bytes (wanted at least " + std::to_string(wanted) + ")");
}

Scratch::Scratch(Workspace workspace) {
  const auto address = reinterpret_cast<std::uintptr_t>(workspace.data());
  next_ = workspace.data() + (64 - address % 64) % 64;
}

std::byte* Scratch::take_bytes(std::size_t bytes) {
  std::byte* const taken = next_;
  next_ += (bytes + 63) / 64 * 64;
  return taken;
}

}   // namespace lastro::kernels
