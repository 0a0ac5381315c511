#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace lastro {

// A fast hash of a few bytes, for tables in memory only: never part of a result. (Multiply and fold, after wyhash by Wang Yi.)
inline std::uint64_t fold_multiply(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

inline std::uint64_t byte_hash(std::string_view bytes) {
  constexpr std::uint64_t k0 = 0xA0761D6478BD642Fu, k1 = 0xE7037ED1A0B428DBu;
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  std::uint64_t hash = k0 ^ left;
  const auto word = [](const char* from, std::size_t length) {
    std::uint64_t value = 0;
    std::memcpy(&value, from, length);
    return value;
  };
  for (; left > 8; at += 8, left -= 8) hash = fold_multiply(hash ^ word(at, 8), k1);
  return fold_multiply(hash ^ word(at, left), k1);
}

}   // namespace lastro
