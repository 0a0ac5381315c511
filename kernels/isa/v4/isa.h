#pragma once

#include <immintrin.h>

#include <cstdint>

#include "element/arithmetic.h"
#include "kernels/path.h"

// x86-64-v4: sixteen lanes, AVX-512.
namespace lastro::kernels {
namespace {

constexpr CpuPath isa_path = CpuPath::v4;
constexpr int lanes = 16;
constexpr int tile_rows = 12;   // 12 x 2 accumulators and 2 panel vectors of 32 registers; the broadcast is an operand of the multiply-add
typedef float Floats __attribute__((vector_size(64)));
typedef std::int32_t Ints __attribute__((vector_size(64)));

// The same names for one number stay in sight.
using kernels::bits_of;
using kernels::fma;
using kernels::from_bits;
using kernels::square_root;
using kernels::to_floats;

KERNEL_FN Floats splat(float value) { return (Floats)_mm512_set1_ps(value); }
KERNEL_FN Floats load(const float* from) { return (Floats)_mm512_loadu_ps(from); }
KERNEL_FN void store(float* to, Floats value) { _mm512_storeu_ps(to, (__m512)value); }
KERNEL_FN Floats fma(Floats a, Floats b, Floats c) { return (Floats)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c); }
KERNEL_FN Floats square_root(Floats a) { return (Floats)_mm512_mask_sqrt_ps((__m512)a, 0xffff, (__m512)a); }
KERNEL_FN Ints bits_of(Floats a) { return (Ints)a; }
KERNEL_FN Floats from_bits(Ints a) { return (Floats)a; }
KERNEL_FN Floats to_floats(Ints a) { return __builtin_convertvector(a, Floats); }
// sum = fma(a, b, sum) in its place.
KERNEL_FN void carry(Floats& sum, Floats a, Floats b) { asm("vfmadd231ps %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b)); }

}   // namespace
}   // namespace lastro::kernels
