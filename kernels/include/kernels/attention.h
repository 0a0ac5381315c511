#pragma once

#include "domain/workers.h"
#include "kernels/matrix.h"

// Causal attention with grouped queries, by blocks of 64 keys counted from position 0 (online softmax, Milakov and Gimelshein 2018;
// backward from the saved logsumexp, Dao et al. 2022, algorithm 4). Scores are chains over the head dimension of (scale * q) . k;
// the value chain of a row runs over ascending keys, rescaled at each block. Masked keys are never read, so what lies there cannot show.
// A row's bits are the same alone (with a cache), in a prefix and in a batch.
// Errors: InternalError when shapes disagree or the workspace is too small.
namespace lastro::kernels {

struct AttentionShape {
  std::int64_t sequences = 1;
  std::int64_t queries = 0;          // rows of each sequence in q and out
  std::int64_t first_position = 0;   // of query row 0; keys 0 .. first_position + queries - 1 take part
  std::int64_t key_capacity = 0;     // rows from one sequence's keys to the next one's in k and v; at least first_position + queries
  int heads = 0;
  int kv_heads = 0;   // divides heads; query head h uses key head h / (heads / kv_heads)
  int head_dim = 0;   // a multiple of 8, at most 128
  float scale = 0;    // on the scores; 1 / sqrt(head_dim) as a rule
};

// q, out [sequences * queries, heads * head_dim]; k, v [sequences * key_capacity, kv_heads * head_dim]; columns are head-major.
// logsumexp [sequences, heads, queries] of the scaled scores may be null when no backward follows.
void attention_forward(Workers& workers, const AttentionShape& shape, ConstMatrix q, ConstMatrix k, ConstMatrix v, Matrix out, float* logsumexp,
                       Workspace workspace);
std::size_t attention_forward_workspace_bytes(const AttentionShape& shape, int workers);

// dq, dk, dv (overwritten) from dout; requires first_position 0 and key_capacity == queries. dk and dv chain over the group's query heads,
// ascending, and in each over ascending queries; dq over ascending keys, scaled once at the end. dq, dk, dv may not overlap inputs.
void attention_backward(Workers& workers, const AttentionShape& shape, ConstMatrix q, ConstMatrix k, ConstMatrix v, ConstMatrix out,
                        const float* logsumexp, ConstMatrix dout, Matrix dq, Matrix dk, Matrix dv, Workspace workspace);
std::size_t attention_backward_workspace_bytes(const AttentionShape& shape, int workers);

}   // namespace lastro::kernels
