#pragma once

#include <immintrin.h>

#include <cstdint>

#include "element/arithmetic.h"
#include "kernels/path.h"

// x86-64-v3: eight lanes, AVX2 and FMA.
namespace lastro::kernels {
namespace {

constexpr CpuPath isa_path = CpuPath::v3;
constexpr int lanes = 8;
constexpr int tile_rows = 6;   // 6 x 2 accumulators, 2 panel vectors and a broadcast fill the 16 registers
constexpr int tile_steps = 8;
typedef float Floats __attribute__((vector_size(32)));
typedef std::int32_t Ints __attribute__((vector_size(32)));

// The same names for one number stay in sight.
using kernels::bits_of;
using kernels::fma;
using kernels::from_bits;
using kernels::square_root;
using kernels::to_floats;

KERNEL_FN Floats splat(float value) { return (Floats)_mm256_set1_ps(value); }
KERNEL_FN Floats load(const float* from) { return (Floats)_mm256_loadu_ps(from); }
KERNEL_FN void store(float* to, Floats value) { _mm256_storeu_ps(to, (__m256)value); }
KERNEL_FN Floats fma(Floats a, Floats b, Floats c) { return (Floats)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c); }
KERNEL_FN Floats square_root(Floats a) { return (Floats)_mm256_sqrt_ps((__m256)a); }
KERNEL_FN Ints bits_of(Floats a) { return (Ints)a; }
KERNEL_FN Floats from_bits(Ints a) { return (Floats)a; }
KERNEL_FN Floats to_floats(Ints a) { return (Floats)_mm256_cvtepi32_ps((__m256i)a); }
// sum = fma(a, b, sum) in its place: left to itself, the compiler moves a tile's sums from register to register.
KERNEL_FN void carry(Floats& sum, Floats a, Floats b) { asm("vfmadd231ps %2, %1, %0" : "+x"(sum) : "x"(a), "x"(b)); }

}   // namespace
}   // namespace lastro::kernels
