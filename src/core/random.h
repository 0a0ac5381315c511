#pragma once

#include <cstdint>

#include "domain/philox.h"

namespace lastro {

// What a random number is for; part of its key, so that two uses never share numbers. Values are part of the numerics rules: never reuse one.
enum class Purpose : std::uint32_t {
  weights = 1,
  data_order = 2,
  minhash = 3,
  split = 4,
  sampling = 5,
  stories = 6,
  test = 7,
  vocabulary = 8,
  questions = 9
};

constexpr std::uint64_t random_key(std::uint64_t seed, Purpose purpose) { return seed * 0x9E3779B97F4A7C15u + static_cast<std::uint64_t>(purpose); }

// 64 random bits for item (a, b) of a purpose.
constexpr std::uint64_t random_u64(std::uint64_t seed, Purpose purpose, std::uint64_t a, std::uint64_t b = 0) {
  const auto bits = philox(random_key(seed, purpose), b, a);
  return std::uint64_t{bits[1]} << 32 | bits[0];
}

// In [0, 1), 53 bits.
constexpr double random_unit(std::uint64_t seed, Purpose purpose, std::uint64_t a, std::uint64_t b = 0) {
  return static_cast<double>(random_u64(seed, purpose, a, b) >> 11) * 0x1p-53;
}

}   // namespace lastro
