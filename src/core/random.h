#pragma once

#include <array>
#include <cstdint>

namespace lastro {

// Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC11): 128 random bits that depend on key and counter alone.
// Nothing is a stream with a position, so nothing needs saving: a number is named by what it is for.
constexpr std::array<std::uint32_t, 4> philox(std::uint64_t key, std::uint64_t counter_high, std::uint64_t counter_low) {
  std::uint32_t k0 = static_cast<std::uint32_t>(key), k1 = static_cast<std::uint32_t>(key >> 32);
  std::array<std::uint32_t, 4> c{static_cast<std::uint32_t>(counter_low), static_cast<std::uint32_t>(counter_low >> 32),
                                 static_cast<std::uint32_t>(counter_high), static_cast<std::uint32_t>(counter_high >> 32)};
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53} * c[0];
    const std::uint64_t p1 = std::uint64_t{0xCD9E8D57} * c[2];
    c = {static_cast<std::uint32_t>(p1 >> 32) ^ c[1] ^ k0, static_cast<std::uint32_t>(p1), static_cast<std::uint32_t>(p0 >> 32) ^ c[3] ^ k1,
         static_cast<std::uint32_t>(p0)};
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return c;
}

// What a random number is for; part of its key, so that two uses never share numbers. Values are part of the numerics rules: never reuse one.
enum class Purpose : std::uint32_t { weights = 1, data_order = 2, minhash = 3, split = 4, sampling = 5, stories = 6, test = 7, vocabulary = 8 };

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

}  // namespace lastro
