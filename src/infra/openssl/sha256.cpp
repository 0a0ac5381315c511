#include "core/hash.h"

#include <openssl/evp.h>

#include <cerrno>
#include <cstdio>
#include <vector>

#include "core/refused_file.h"
#include "domain/errors.h"

namespace lastro {

struct Sha256::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  State() { begin(); }
  ~State() { EVP_MD_CTX_free(context); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  void begin() {
    static const EVP_MD* const algorithm = EVP_sha256();
    if (!context || EVP_DigestInit_ex(context, algorithm, nullptr) != 1)
      throw EnvironmentError("openssl refused to begin a SHA-256 (out of memory, or the algorithm is disabled)", "openssl", "EVP_DigestInit_ex", 0);
  }
};

Sha256::Sha256() : state_(std::make_unique<State>()) {}
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;
Sha256::~Sha256() = default;

Sha256& Sha256::update(std::span<const std::byte> bytes) {
  EVP_DigestUpdate(state_->context, bytes.data(), bytes.size());
  return *this;
}

Sha256& Sha256::update(std::string_view text) { return update(std::as_bytes(std::span(text))); }

Sha256& Sha256::update_u64(std::uint64_t value) {
  std::byte bytes[8];
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<std::byte>(value >> (8 * i));
  return update(std::span<const std::byte>(bytes));
}

Digest Sha256::finish() {
  Digest digest;
  EVP_DigestFinal_ex(state_->context, digest.bytes.data(), nullptr);
  state_->begin();
  return digest;
}

Digest sha256(std::span<const std::byte> bytes) { return Sha256().update(bytes).finish(); }
Digest sha256(std::string_view text) { return Sha256().update(text).finish(); }

Digest sha256_file(const std::filesystem::path& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) refuse_file(path, "cannot be opened", "fopen", errno);
  std::setbuf(file.get(), nullptr);
  std::vector<std::byte> block(1 << 18);
  Sha256 hash;
  while (const std::size_t bytes = std::fread(block.data(), 1, block.size(), file.get())) hash.update(std::span(block).first(bytes));
  if (std::ferror(file.get())) refuse_file(path, "cannot be read", "fread", errno);
  return hash.finish();
}

}   // namespace lastro
