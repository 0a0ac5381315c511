#pragma once

#include <cstdint>
#include <span>

#include "domain/workers.h"

namespace lastro::kernels {

// values[i] = mean + deviation * z, where z is the standard normal number of element first + i: the inverse distribution function
// (Wichura 1988, AS 241, PPND16) of a 53-bit Philox number, in fp64 with own functions, rounded once. `key` says what the
// numbers are for (core/random.h: random_key); `stream` separates tensors under one key.
void fill_normal(Workers& workers, std::uint64_t key, std::uint64_t stream, std::uint64_t first, double mean, double deviation,
                 std::span<float> values);

}   // namespace lastro::kernels
