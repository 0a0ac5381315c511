#include "infra/torch/torch_oracle.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/cos.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/sin.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <torch/headeronly/version.h>

#include <cmath>
#include <limits>

#include "model/tensors.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "domain/errors.h"

namespace lastro {

namespace {

using at::Tensor;

// Every parameter as a leaf of the graph, by its Hugging Face name.
using Parameters = std::map<std::string, Tensor>;

Parameters parameters_of(const std::vector<UnitTensors>& units, const ModelWeights& weights, at::ScalarType type) {
  Parameters parameters;
  for (std::size_t unit = 0; unit < units.size(); ++unit)
    for (const auto& tensor : units[unit].tensors) {
      float* data = const_cast<float*>(weights[unit].data()) + tensor.offset;   // from_blob wants it mutable; the copy below reads only
      const std::vector<std::int64_t> extents =
          tensor.is_vector ? std::vector<std::int64_t>{tensor.columns} : std::vector<std::int64_t>{tensor.rows, tensor.columns};
      parameters[tensor.name] = at::from_blob(data, extents, at::kFloat).to(type, false, true).requires_grad_(true);
    }
  return parameters;
}

Tensor ids_tensor(std::span<const TokenId> ids) {
  std::vector<std::int64_t> wide(ids.begin(), ids.end());
  return at::from_blob(wide.data(), {static_cast<std::int64_t>(wide.size())}, at::kLong).clone();
}

// The model as the Llama papers and transformers write it, in operations that record themselves.
class Llama {
 public:
  Llama(const ModelShape& shape, LeafShape leaf, const Parameters& parameters, at::ScalarType type)
      : shape_(shape), leaf_(leaf), parameters_(parameters), type_(type) {
    const Tensor even = at::arange(0, shape.head_dim, 2, at::kDouble);
    const Tensor frequencies = at::pow(shape.rope_theta, even / static_cast<double>(-shape.head_dim));
    const Tensor angles = at::arange(leaf.tokens, at::kDouble).unsqueeze(1) * frequencies.unsqueeze(0);
    const Tensor both_halves = at::cat({angles, angles}, 1);
    cos_ = both_halves.cos().to(type);
    sin_ = both_halves.sin().to(type);
    future_ = at::ones({leaf.tokens, leaf.tokens}, at::kBool).triu(1);
  }

  // [rows, padded vocabulary]; padding can not be predicted.
  Tensor logits(const Tensor& tokens) const {
    Tensor x = at::embedding(parameter("model.embed_tokens.weight"), tokens.view({leaf_.sequences, leaf_.tokens}));
    for (std::int64_t layer = 0; layer < shape_.layers; ++layer) x = block(x, "model.layers." + std::to_string(layer) + ".");
    const Tensor hidden = norm(x, "model.norm.weight").view({leaf_.rows(), shape_.width});
    const Tensor all = linear(hidden, shape_.tied ? "model.embed_tokens.weight" : "lm_head.weight");
    const Tensor is_padding = at::arange(shape_.padded_vocabulary()) >= shape_.vocabulary;
    return all.masked_fill(is_padding, -std::numeric_limits<double>::infinity());
  }

 private:
  const Tensor& parameter(const std::string& name) const { return parameters_.at(name); }
  Tensor linear(const Tensor& x, const std::string& name) const { return at::matmul(x, parameter(name).t()); }

  Tensor norm(const Tensor& x, const std::string& name) const { return x * at::rsqrt(x.pow(2).mean(-1, true) + shape_.norm_eps) * parameter(name); }

  Tensor rotate(const Tensor& x) const {   // [sequences, heads, tokens, head_dim]
    const auto halves = x.chunk(2, -1);
    return x * cos_ + at::cat({-halves[1], halves[0]}, -1) * sin_;
  }

  Tensor heads(const Tensor& x, std::int64_t count) const { return x.view({leaf_.sequences, leaf_.tokens, count, shape_.head_dim}).transpose(1, 2); }

  Tensor attention(const Tensor& x, const std::string& prefix) const {
    const std::int64_t group = shape_.heads / shape_.kv_heads;
    const Tensor q = rotate(heads(linear(x, prefix + "q_proj.weight"), shape_.heads));
    const Tensor k = rotate(heads(linear(x, prefix + "k_proj.weight"), shape_.kv_heads)).repeat_interleave(group, 1);
    const Tensor v = heads(linear(x, prefix + "v_proj.weight"), shape_.kv_heads).repeat_interleave(group, 1);
    const Tensor scores = at::matmul(q, k.transpose(2, 3)) / std::sqrt(static_cast<double>(shape_.head_dim));
    const Tensor shares = at::softmax(scores.masked_fill(future_, -std::numeric_limits<double>::infinity()), -1);
    const Tensor mixed = at::matmul(shares, v).transpose(1, 2).reshape({leaf_.sequences, leaf_.tokens, shape_.query_width()});
    return linear(mixed, prefix + "o_proj.weight");
  }

  Tensor feed_forward(const Tensor& x, const std::string& prefix) const {
    return linear(at::silu(linear(x, prefix + "gate_proj.weight")) * linear(x, prefix + "up_proj.weight"), prefix + "down_proj.weight");
  }

  Tensor block(const Tensor& x, const std::string& prefix) const {
    const Tensor y = x + attention(norm(x, prefix + "input_layernorm.weight"), prefix + "self_attn.");
    return y + feed_forward(norm(y, prefix + "post_attention_layernorm.weight"), prefix + "mlp.");
  }

  const ModelShape& shape_;
  LeafShape leaf_;
  const Parameters& parameters_;
  at::ScalarType type_;
  Tensor cos_, sin_, future_;
};

void copy_out(const Tensor& from, std::span<float> to) {
  const Tensor plain = from.detach().to(at::kFloat).contiguous();
  if (plain.numel() != static_cast<std::int64_t>(to.size())) throw InternalError("oracle: a tensor has another size than the table says");
  std::memcpy(to.data(), plain.const_data_ptr<float>(), to.size_bytes());
}

std::vector<std::vector<float>> gradients_of(const std::vector<UnitTensors>& units, const Parameters& parameters) {
  std::vector<std::vector<float>> gradients;
  for (const auto& unit : units) {
    auto& flat = gradients.emplace_back(static_cast<std::size_t>(unit.elements()), 0.0f);
    for (const auto& tensor : unit.tensors)
      if (const Tensor gradient = parameters.at(tensor.name).grad(); gradient.defined())
        copy_out(gradient, std::span(flat).subspan(static_cast<std::size_t>(tensor.offset), static_cast<std::size_t>(tensor.elements())));
  }
  return gradients;
}

class TorchOracle final : public Oracle {
 public:
  TorchOracle() { at::set_num_threads(1); }

  std::string name() const override { return "LibTorch " TORCH_VERSION; }

  Answer judge(const ModelShape& shape, const ModelWeights& weights, const Leaf& leaf, Precision precision) override {
    const auto type = precision == Precision::fp64 ? at::kDouble : at::kFloat;
    const auto units = unit_tensors(shape);
    const Parameters parameters = parameters_of(units, weights, type);

    const Tensor all = at::log_softmax(Llama(shape, leaf.shape, parameters, type).logits(ids_tensor(leaf.tokens)), -1);
    const Tensor logprobs = all.gather(1, ids_tensor(leaf.targets).unsqueeze(1)).squeeze(1);
    const Tensor row_weights = at::from_blob(const_cast<float*>(leaf.loss_weights.data()), {leaf.shape.rows()}, at::kFloat).to(type, false, true);
    // A row of weight 0 is left out, not multiplied by 0.
    const Tensor counted = at::where(row_weights != 0, logprobs, at::zeros({}, type));
    const Tensor loss = -(counted * row_weights).sum();
    loss.backward();

    Answer answer;
    answer.loss = loss.item().toDouble();
    answer.logprobs.resize(static_cast<std::size_t>(leaf.shape.rows()));
    copy_out(counted, answer.logprobs);
    answer.gradients = gradients_of(units, parameters);
    return answer;
  }
};

}   // namespace

std::unique_ptr<Oracle> make_torch_oracle() { return std::make_unique<TorchOracle>(); }

}   // namespace lastro
