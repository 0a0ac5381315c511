#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

#include "domain/digest.h"

namespace lastro {

// SHA-256, incrementally. A port: infra/openssl has the implementation.
class Sha256 {
 public:
  Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;
  ~Sha256();
  Sha256& update(std::span<const std::byte> bytes);
  Sha256& update(std::string_view text);
  Sha256& update_u64(std::uint64_t value);   // as eight little-endian bytes
  Digest finish();                           // leaves the object ready for a new message

 private:
  struct State;
  std::unique_ptr<State> state_;
};

Digest sha256(std::span<const std::byte> bytes);
Digest sha256(std::string_view text);
// Throws EnvironmentError when the file cannot be read.
Digest sha256_file(const std::filesystem::path& path);

}   // namespace lastro
