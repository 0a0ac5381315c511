#include "kernels/head.h"

#include <algorithm>
#include <cstring>

#include "cpu/check.h"
#include "cpu/split.h"
#include "head_cpu.h"
#include "kernels/linear.h"

namespace lastro::kernels {
namespace {

std::int64_t logit_stride(std::int64_t vocabulary) { return (vocabulary + 15) / 16 * 16; }

// The parts of a head's workspace.
struct HeadMemory {
  std::int32_t* unmasked;   // [tokens]: rows with a target, ascending
  float* x;                 // [chunk, width]: rows gathered from between masked ones
  float* dx;                // [chunk, width]
  float* logits;            // [chunk, vocabulary]
  Workspace linear;
};

HeadMemory memory_in(const HeadShape& shape, Workspace workspace, int workers) {
  Scratch scratch(workspace);
  HeadMemory memory;
  memory.unmasked = scratch.take<std::int32_t>(shape.tokens);
  memory.x = scratch.take<float>(shape.chunk_tokens * shape.width);
  memory.dx = scratch.take<float>(shape.chunk_tokens * shape.width);
  memory.logits = scratch.take<float>(shape.chunk_tokens * logit_stride(shape.vocabulary));
  const std::size_t linear_bytes = linear_workspace_bytes(workers);
  memory.linear = {scratch.take<std::byte>(static_cast<std::int64_t>(linear_bytes)), linear_bytes};
  return memory;
}

void require_head(const char* op, const HeadShape& shape, ConstMatrix x, ConstMatrix weight, std::span<const std::int32_t> targets,
                  std::size_t log_probs, Workspace workspace, int workers) {
  if (shape.chunk_tokens < 1 || shape.vocabulary < 1 || weight.rows < shape.vocabulary)
    refuse(op, "chunk_tokens " + std::to_string(shape.chunk_tokens) + ", vocabulary " + std::to_string(shape.vocabulary) + ", weight " +
                   shape_text(weight) + " (wanted at least 1, at least 1, at least vocabulary rows)");
  require_shape(op, "x", x, shape.tokens, shape.width);
  require_shape(op, "weight", weight, weight.rows, shape.width);
  require_count(op, "targets", static_cast<std::int64_t>(targets.size()), shape.tokens);
  require_count(op, "log_probs", static_cast<std::int64_t>(log_probs), shape.tokens);
  require_workspace(op, workspace.size(), head_workspace_bytes(shape, workers));
  for (const std::int32_t target : targets)
    if (target >= shape.vocabulary)
      refuse(op, "target " + std::to_string(target) + " (the vocabulary has " + std::to_string(shape.vocabulary) + " tokens)");
}

// Writes the rows that have a target to `unmasked`; the others' log-probs are 0.
std::int64_t list_unmasked(std::span<const std::int32_t> targets, std::span<float> log_probs, std::int32_t* unmasked) {
  std::int64_t count = 0;
  for (std::size_t t = 0; t < targets.size(); ++t) {
    if (targets[t] >= 0)
      unmasked[count++] = static_cast<std::int32_t>(t);
    else
      log_probs[t] = 0.0f;
  }
  return count;
}

// One chunk of unmasked rows; rows that follow one another without a gap are used where they lie.
struct Chunk {
  const std::int32_t* rows;
  std::int64_t count;
  bool together() const { return rows[count - 1] - rows[0] == count - 1; }
};

ConstMatrix rows_of(const Chunk& chunk, ConstMatrix x, float* gathered) {
  if (chunk.together()) return x.rows_from(chunk.rows[0], chunk.count);
  for (std::int64_t i = 0; i < chunk.count; ++i)
    std::memcpy(gathered + i * x.columns, x.row(chunk.rows[i]), static_cast<std::size_t>(x.columns) * sizeof(float));
  return {gathered, chunk.count, x.columns};
}

// each_chunk(chunk, x rows, logits, whether it is the first one), after the logits of the chunk have been computed.
template <class EachChunk>
void over_chunks(Workers& workers, const HeadShape& shape, ConstMatrix x, ConstMatrix weight, const HeadMemory& memory, std::int64_t unmasked,
                 const EachChunk& each_chunk) {
  for (std::int64_t first = 0; first < unmasked; first += shape.chunk_tokens) {
    const Chunk chunk{memory.unmasked + first, std::min(shape.chunk_tokens, unmasked - first)};
    const ConstMatrix rows = rows_of(chunk, x, memory.x);
    const Matrix logits(memory.logits, chunk.count, shape.vocabulary, logit_stride(shape.vocabulary));
    linear_forward(workers, rows, weight.rows_from(0, shape.vocabulary), logits, Start::zero, memory.linear);
    each_chunk(chunk, rows, logits, first == 0);
  }
}

void clear_rows(Workers& workers, Matrix matrix) {
  split(workers, matrix.rows, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) std::fill_n(matrix.row(row), matrix.columns, 0.0f);
  });
}

// The gradient of x goes straight to its rows when these are together, else by way of memory.dx.
void input_gradient(Workers& workers, const Chunk& chunk, ConstMatrix dlogits, ConstMatrix weight, Matrix dx, const HeadMemory& memory) {
  const bool together = chunk.together();
  const Matrix to = together ? dx.rows_from(chunk.rows[0], chunk.count) : Matrix(memory.dx, chunk.count, dx.columns);
  linear_backward_input(workers, dlogits, weight, to, Start::zero, memory.linear);
  if (together) return;
  for (std::int64_t i = 0; i < chunk.count; ++i) std::memcpy(dx.row(chunk.rows[i]), to.row(i), static_cast<std::size_t>(dx.columns) * sizeof(float));
}

void clear_masked(std::span<const std::int32_t> targets, Matrix dx) {
  for (std::int64_t t = 0; t < dx.rows; ++t)
    if (targets[t] < 0) std::fill_n(dx.row(t), dx.columns, 0.0f);
}

}   // namespace

std::size_t head_workspace_bytes(const HeadShape& shape, int workers) {
  return scratch_slack + scratch_bytes(shape.tokens) + 2 * scratch_bytes(shape.chunk_tokens * shape.width) +
         scratch_bytes(shape.chunk_tokens * logit_stride(shape.vocabulary)) +
         scratch_bytes(static_cast<std::int64_t>(linear_workspace_bytes(workers)), 1);
}

void head_log_probs(Workers& workers, const HeadShape& shape, ConstMatrix x, ConstMatrix weight, std::span<const std::int32_t> targets,
                    std::span<float> log_probs, Workspace workspace) {
  require_head("head_log_probs", shape, x, weight, targets, log_probs.size(), workspace, workers.size());
  const HeadEntries& entries = entries_in_force<HeadEntries>();
  const HeadMemory memory = memory_in(shape, workspace, workers.size());
  const std::int64_t unmasked = list_unmasked(targets, log_probs, memory.unmasked);
  over_chunks(workers, shape, x, weight, memory, unmasked, [&](const Chunk& chunk, ConstMatrix, Matrix logits, bool) {
    split(workers, chunk.count, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        log_probs[chunk.rows[i]] = logits.row(i)[targets[chunk.rows[i]]] - entries.logsumexp(logits.row(i), shape.vocabulary);
    });
  });
}

void head_forward_backward(Workers& workers, const HeadShape& shape, ConstMatrix x, ConstMatrix weight, std::span<const std::int32_t> targets,
                           std::span<const float> dlog_probs, std::span<float> log_probs, Matrix dx, Matrix dweight, Start start,
                           Workspace workspace) {
  require_head("head_forward_backward", shape, x, weight, targets, log_probs.size(), workspace, workers.size());
  require_count("head_forward_backward", "dlog_probs", static_cast<std::int64_t>(dlog_probs.size()), shape.tokens);
  if (dx.data) require_shape("head_forward_backward", "dx", dx, shape.tokens, shape.width);
  if (dweight.data) require_shape("head_forward_backward", "dweight", dweight, weight.rows, shape.width);
  const HeadEntries& entries = entries_in_force<HeadEntries>();
  const HeadMemory memory = memory_in(shape, workspace, workers.size());
  const std::int64_t unmasked = list_unmasked(targets, log_probs, memory.unmasked);
  const ConstMatrix true_weight = weight.rows_from(0, shape.vocabulary);
  if (dweight.data && start == Start::zero)
    clear_rows(workers, unmasked ? dweight.rows_from(shape.vocabulary, dweight.rows - shape.vocabulary) : dweight);
  if (dx.data) clear_masked(targets, dx);
  over_chunks(workers, shape, x, weight, memory, unmasked, [&](const Chunk& chunk, ConstMatrix rows, Matrix logits, bool first) {
    split(workers, chunk.count, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int32_t t = chunk.rows[i];
        const float logsumexp = entries.logsumexp(logits.row(i), shape.vocabulary);
        log_probs[t] = logits.row(i)[targets[t]] - logsumexp;
        entries.gradient(logits.row(i), shape.vocabulary, logsumexp, targets[t], dlog_probs[t]);
      }
    });
    if (dx.data) input_gradient(workers, chunk, logits, true_weight, dx, memory);
    if (dweight.data)
      linear_backward_weight(workers, logits, rows, dweight.rows_from(0, shape.vocabulary), first ? start : Start::output, memory.linear);
  });
}

void head_logits(Workers& workers, ConstMatrix x, ConstMatrix weight, Matrix logits, Workspace workspace) {
  if (weight.rows < logits.columns)
    refuse("head_logits", "weight is " + shape_text(weight) + ", logits " + shape_text(logits) + " (fewer rows than logits)");
  linear_forward(workers, x, weight.rows_from(0, logits.columns), logits, Start::zero, workspace);
}

void log_softmax(Workers& workers, Matrix logits) {
  if (logits.columns < 1) refuse("log_softmax", "logits is " + shape_text(logits) + " (no column)");
  const HeadEntries& entries = entries_in_force<HeadEntries>();
  split(workers, logits.rows, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row)
      entries.subtract(logits.row(row), logits.columns, entries.logsumexp(logits.row(row), logits.columns));
  });
}

}   // namespace lastro::kernels
