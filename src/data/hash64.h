#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace lastro {

// Spreads every bit of a value over all bits (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
constexpr std::uint64_t mix64(std::uint64_t value) {
  value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9u;
  value = (value ^ value >> 27) * 0x94D049BB133111EBu;
  return value ^ value >> 31;
}

// A 64-bit hash of bytes: fast and the same everywhere; not against an adversary.
constexpr std::uint64_t hash64(std::string_view bytes) {
  std::uint64_t hash = 0xCBF29CE484222325u;   // FNV-1a
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001B3u;
  return mix64(hash);
}

}   // namespace lastro
