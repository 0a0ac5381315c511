#pragma once

#include "domain/workers.h"
#include "kernels/matrix.h"

// Rotary position embedding (Su et al. 2021) in Hugging Face's layout: dimension i of a head turns with dimension i + head_dim / 2 by the
// angle position * theta^(-2 i / head_dim).
namespace lastro::kernels {

// cosines, sines [positions, head_dim / 2], computed in fp64 by own functions and rounded once.
void rope_tables(std::int64_t positions, int head_dim, double theta, float* cosines, float* sines);

enum class Turn { forward, backward };   // backward turns a gradient back

// Turns x [sequences * tokens, heads * head_dim] in place; row r is at position first_position + r mod `tokens_per_sequence`.
// Errors: InternalError when shapes disagree.
void rope(Workers& workers, Matrix x, int heads, int head_dim, std::int64_t tokens_per_sequence, std::int64_t first_position, const float* cosines,
          const float* sines, Turn turn);

}   // namespace lastro::kernels
