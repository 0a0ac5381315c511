#pragma once

#include <cstdint>
#include <span>

#include "domain/workers.h"
#include "kernels/matrix.h"

// The language model head fused with the softmax over the vocabulary. Logits of `chunk_tokens` rows are resident at a time and never more;
// no result depends on chunk_tokens. log_prob[t] = logit[t, target] - logsumexp(logits[t]); rows of `weight` at and above `vocabulary` are
// padding: never read, never a probability. A row whose target is negative is masked: its log-prob is +0, its dx is +0, and it is
// skipped in every chain.
// Errors: InternalError when shapes disagree, a target is at or above `vocabulary`, or the workspace is too small.
namespace lastro::kernels {

struct HeadShape {
  std::int64_t tokens = 0;
  std::int64_t width = 0;
  std::int64_t vocabulary = 0;     // true size, without padding rows
  std::int64_t chunk_tokens = 0;   // e.g. 256
};
std::size_t head_workspace_bytes(const HeadShape& shape, int workers);

// x [tokens, width]; weight [>= vocabulary, width]; targets [tokens]; log_probs [tokens].
void head_log_probs(Workers& workers, const HeadShape& shape, ConstMatrix x, ConstMatrix weight, std::span<const std::int32_t> targets,
                    std::span<float> log_probs, Workspace workspace);

// The same, and the gradients for dlog_probs[t] = d objective / d log_prob[t] (mean cross-entropy: -1 / count). Every objective is a function
// from log-probs to these: one that needs the log-probs first calls head_log_probs before.
// dx [tokens, width] is overwritten. dweight [as weight] chains over the unmasked tokens, ascending, from `start`; Start::zero also clears
// its padding rows, Start::output leaves them. Either may be empty (null data): it is not computed. A tied head takes dx first and
// dweight at the end of the backward pass, so that no second full gradient need be kept.
void head_forward_backward(Workers& workers, const HeadShape& shape, ConstMatrix x, ConstMatrix weight, std::span<const std::int32_t> targets,
                           std::span<const float> dlog_probs, std::span<float> log_probs, Matrix dx, Matrix dweight, Start start,
                           Workspace workspace);

// logits [rows, vocabulary] of x [rows, width] for sampling (linear_forward on the true rows): the same bits as inside the two above.
void head_logits(Workers& workers, ConstMatrix x, ConstMatrix weight, Matrix logits, Workspace workspace);

// In place: logits -> log-probs, row by row. The same bits as above.
void log_softmax(Workers& workers, Matrix logits);

}   // namespace lastro::kernels
