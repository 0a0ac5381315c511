#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "domain/ids.h"
#include "domain/workers.h"
#include "model/shape.h"

namespace lastro {

// A leaf: the micro-batch of fixed shape that is the grain of all token sums. Sequences are independent; positions count from 0 in each.
struct LeafShape {
  std::int64_t sequences = 1;
  std::int64_t tokens = 0;   // per sequence
  std::int64_t rows() const { return sequences * tokens; }
  bool operator==(const LeafShape&) const = default;
};

// How much of the forward pass stays for the backward pass. Never changes a bit of any result.
enum class Keep {
  nothing,      // forward only: score, no backward
  inputs,       // each block's input; its inside is computed again in the backward pass
  everything,   // all that the backward pass needs
};

// Memory that a leaf pass holds from construction on, exactly, by class.
struct LeafPassBytes {
  std::int64_t kept_activations = 0;      // from forward to backward
  std::int64_t working_activations = 0;   // used inside one unit
  std::int64_t head = 0;                  // around the output matrix, besides logits
  std::int64_t packing = 0;               // kernels' scratch: packed weights, a chunk of logits
  std::int64_t tables = 0;                // rotary sines and cosines
  std::int64_t total() const { return kept_activations + working_activations + head + packing + tables; }
};
LeafPassBytes leaf_pass_bytes(const ModelShape& shape, LeafShape leaf, Keep keep, int workers);

// One leaf's way through the model and back, a unit at a time. It owns activations and scratch, allocates all of it at construction and
// nothing afterwards; weights and gradients are the caller's, valid only during a call. Every result is independent of the number of
// workers, of `keep`, and (for log-probabilities) of what else is in the leaf.
//
// A training pass, with L = layers; `E` is the embedding unit, `B[l]` a block, `H` the head unit:
//   embed(E, tokens); forward_block(l, B[l]) for l = 0..L-1
//   loss(H, E if tied, targets, ...)               -> gradient of H (final norm; and the output matrix when untied)
//   backward_block(l, B[l], gradient) for l = L-1..0
//   backward_embedding(E if tied, ...)             -> gradient of E
//
// Tied head: the output matrix's gradient and the embedding's are one chain, the head's part first, in each leaf. To keep one full gradient
// unit resident, `loss` then leaves the output matrix's part out and backward_embedding computes logits again (one more product of
// [rows, vocabulary, width]) before it goes on with the embedding's part in the same buffer. A caller with room for a second gradient unit
// passes that buffer to `loss` and the same one to backward_embedding, and saves that product; the bits are equal.
// So at most two gathered units are needed at a time (H and E in a tied `loss`, one elsewhere), and every gradient is complete, and may be
// folded, when its call returns (E's when backward_embedding returns).
class LeafPass {
 public:
  // `shape` is complete; leaf.tokens <= shape.context.
  LeafPass(const ModelShape& shape, LeafShape leaf, Keep keep, Workers& workers);
  LeafPass(LeafPass&&) noexcept;
  LeafPass& operator=(LeafPass&&) noexcept;
  ~LeafPass();

  const ModelShape& shape() const;
  LeafShape leaf() const;

  // tokens [rows], each below shape.vocabulary.
  void embed(std::span<const float> embedding, std::span<const TokenId> tokens);
  void forward_block(int layer, std::span<const float> weights);

  // The output matrix: `embedding` is the embedding unit when the head is tied, empty otherwise.
  struct Head {
    std::span<const float> weights;     // the head unit
    std::span<const float> embedding;   // tied only
  };

  // Natural log-probability of targets[r] after row r, for r in [0, rows); rows with mask[r] == 0 are skipped and get 0.
  // `mask` may be empty: all rows count.
  void score(Head head, std::span<const TokenId> targets, std::span<const std::uint8_t> mask, std::span<float> logprobs);

  // As score; a row with weight 0 is skipped (no product with it is made). Returns the leaf's loss
  //   sum over rows of -loss_weights[r] * logprobs[r], an ascending fp64 chain,
  // and writes its gradient: of the head unit to `gradient`, of the final hidden states to inside. Loss weights usually are 1 or
  // 1 / (tokens of the global batch); preference and policy objectives put theirs here.
  // `embedding_gradient`: tied only, may be empty; see above.
  double loss(Head head, std::span<const TokenId> targets, std::span<const float> loss_weights, std::span<float> logprobs, std::span<float> gradient,
              std::span<float> embedding_gradient = {});

  // Writes (does not add to) the gradient of block `layer`. Blocks come in descending order, each once.
  void backward_block(int layer, std::span<const float> weights, std::span<float> gradient);

  // Writes the gradient of the embedding unit; in the tied case with a buffer given to `loss`, carries it on. `embedding` is needed in the
  // tied case without such a buffer, and may be empty otherwise.
  void backward_embedding(std::span<const float> embedding, std::span<float> gradient);

  // Hidden states before the final norm, [rows, width], after the last forward_block: for tests and for other heads.
  std::span<const float> hidden() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}   // namespace lastro
