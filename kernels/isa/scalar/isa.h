#pragma once

#include <cstdint>

#include "element/arithmetic.h"
#include "kernels/path.h"

// Plain x86-64: one lane, on the element arithmetic that CUDA shares.
namespace lastro::kernels {
namespace {

constexpr CpuPath isa_path = CpuPath::scalar;
constexpr int lanes = 1;
constexpr int tile_rows = 4;
constexpr int tile_steps = 1;
typedef float Floats;
typedef std::int32_t Ints;

KERNEL_FN Floats splat(float value) { return value; }
KERNEL_FN Floats load(const float* from) { return *from; }
KERNEL_FN void store(float* to, Floats value) { *to = value; }
// sum = fma(a, b, sum) in its place.
KERNEL_FN void carry(Floats& sum, Floats a, Floats b) { sum = fma(a, b, sum); }

}   // namespace
}   // namespace lastro::kernels
