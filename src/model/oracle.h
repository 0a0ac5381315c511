#pragma once

#include <span>
#include <string>
#include <vector>

#include "domain/ids.h"
#include "model/leaf_pass.h"
#include "model/shape.h"
#include "model/tensors.h"

namespace lastro {

// A second opinion on a leaf: the same model written as a page of automatic differentiation on another library. A port; infra/torch
// implements it where the build has LibTorch.
class Oracle {
 public:
  enum class Precision { fp32, fp64 };

  struct Leaf {
    LeafShape shape;
    std::span<const TokenId> tokens;       // [rows]
    std::span<const TokenId> targets;      // [rows]
    std::span<const float> loss_weights;   // [rows]
  };

  struct Answer {
    double loss = 0;
    std::vector<float> logprobs;                 // [rows]; 0 where the weight is 0
    std::vector<std::vector<float>> gradients;   // a unit's flat gradient each, in the order of unit_tensors
  };

  virtual ~Oracle() = default;
  virtual std::string name() const = 0;   // e.g. "LibTorch 2.13.0"
  virtual Answer judge(const ModelShape& shape, const ModelWeights& weights, const Leaf& leaf, Precision precision) = 0;
};

}   // namespace lastro
