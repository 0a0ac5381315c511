#pragma once

#include <immintrin.h>

#include "isa/v4/registers.h"

// x86-64-v4: sixteen lanes, AVX-512.
namespace lastro::kernels {
namespace {

KERNEL_FN Floats splat(float value) { return (Floats)_mm512_set1_ps(value); }
KERNEL_FN Floats load(const float* from) { return (Floats)_mm512_loadu_ps(from); }
KERNEL_FN void store(float* to, Floats value) { _mm512_storeu_ps(to, (__m512)value); }
KERNEL_FN Floats fma(Floats a, Floats b, Floats c) { return (Floats)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c); }
KERNEL_FN Floats square_root(Floats a) { return (Floats)_mm512_mask_sqrt_ps((__m512)a, 0xffff, (__m512)a); }
// sum = fma(a, b, sum) in its place: left to itself, the compiler moves a tile's sums from register to register.
KERNEL_FN void carry(Floats& sum, Floats a, Floats b) { asm("vfmadd231ps %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b)); }

}   // namespace
}   // namespace lastro::kernels
