#include "kernels/denormals.h"

#include <xmmintrin.h>

namespace lastro::kernels {
namespace {

constexpr unsigned flush_to_zero = 0x8000;
constexpr unsigned denormals_are_zero = 0x0040;
constexpr unsigned both = flush_to_zero | denormals_are_zero;

}   // namespace

void flush_denormals() { _mm_setcsr(_mm_getcsr() | both); }
bool flushes_denormals() { return (_mm_getcsr() & both) == both; }

FlushingDenormals::FlushingDenormals() : before_(_mm_getcsr()) { _mm_setcsr(before_ | both); }
FlushingDenormals::~FlushingDenormals() { _mm_setcsr(before_); }

}   // namespace lastro::kernels
