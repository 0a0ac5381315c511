#pragma once

#include <cstdint>

#include "element/arithmetic.h"
#include "kernels/path.h"

// What v4's registers hold and how many a tile takes, apart from the instructions that work on them (isa.h; tests/kernels/v4_on_v3).
namespace lastro::kernels {
namespace {

constexpr CpuPath isa_path = CpuPath::v4;
constexpr int lanes = 16;
constexpr int tile_rows = 12;   // 12 x 2 accumulators and 2 panel vectors of 32 registers; the broadcast is an operand of the multiply-add
constexpr int tile_steps = 2;
typedef float Floats __attribute__((vector_size(64)));
typedef std::int32_t Ints __attribute__((vector_size(64)));

// The same names for one number stay in sight.
using kernels::bits_of;
using kernels::fma;
using kernels::from_bits;
using kernels::square_root;
using kernels::to_floats;

KERNEL_FN Ints bits_of(Floats a) { return (Ints)a; }
KERNEL_FN Floats from_bits(Ints a) { return (Floats)a; }
KERNEL_FN Floats to_floats(Ints a) { return __builtin_convertvector(a, Floats); }

}   // namespace
}   // namespace lastro::kernels
