#include "model/hf_export.h"

#include <algorithm>
#include <fstream>
#include <string>

#include "core/json.h"
#include "domain/errors.h"
#include "model/safetensors.h"
#include "model/tensors.h"

namespace lastro {

namespace {

Node end_tokens(const HfTokens& tokens) {
  if (tokens.eos.empty()) return nullptr;
  if (tokens.eos.size() == 1) return std::int64_t{tokens.eos.front()};
  Node all = Node::sequence();
  for (const TokenId token : tokens.eos) all.push(std::int64_t{token});
  return all;
}

Node optional_token(const std::optional<TokenId>& token) { return token ? Node(std::int64_t{*token}) : Node(nullptr); }

void add_token_ids(Node& config, const HfTokens& tokens) {
  config.set("bos_token_id", optional_token(tokens.bos));
  config.set("eos_token_id", end_tokens(tokens));
  config.set("pad_token_id", optional_token(tokens.pad));
}

// transformers 4 reads rope_theta, rope_scaling and torch_dtype; 5 reads rope_parameters and dtype.
Node config_of(const ModelShape& shape, const HfTokens& tokens) {
  Node config = Node::mapping();
  Node architectures = Node::sequence();
  architectures.push("LlamaForCausalLM");
  config.set("architectures", architectures);
  config.set("model_type", "llama");
  config.set("vocab_size", shape.vocabulary);
  config.set("hidden_size", shape.width);
  config.set("intermediate_size", shape.ffn);
  config.set("num_hidden_layers", shape.layers);
  config.set("num_attention_heads", shape.heads);
  config.set("num_key_value_heads", shape.kv_heads);
  config.set("head_dim", shape.head_dim);
  config.set("hidden_act", "silu");
  config.set("max_position_embeddings", shape.context);
  config.set("rms_norm_eps", shape.norm_eps);
  config.set("initializer_range", shape.init_std);
  config.set("tie_word_embeddings", shape.tied);
  config.set("attention_bias", false);
  config.set("mlp_bias", false);
  config.set("attention_dropout", 0.0);
  config.set("rope_theta", shape.rope_theta);
  config.set("rope_scaling", nullptr);
  Node rope = Node::mapping();
  rope.set("rope_theta", shape.rope_theta);
  rope.set("rope_type", "default");
  config.set("rope_parameters", rope);
  config.set("torch_dtype", "float32");
  config.set("dtype", "float32");
  config.set("use_cache", true);
  add_token_ids(config, tokens);
  return config;
}

// Servers that read no generation_config.json would never stop, and some read nothing else: the ids are in both files.
Node generation_config_of(const HfTokens& tokens) {
  Node config = Node::mapping();
  config.set("_from_model_config", false);
  config.set("do_sample", true);
  add_token_ids(config, tokens);
  return config;
}

void write_text(const std::filesystem::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (!out) throw EnvironmentError(file.string() + " cannot be written (is the folder there, and the disk not full?) choose another folder");
}

// Rows that are written: without the vocabulary's padding.
std::int64_t written_rows(const ModelShape& shape, const NamedTensor& tensor) {
  const bool by_token = tensor.name == "model.embed_tokens.weight" || tensor.name == "lm_head.weight";
  return by_token ? shape.vocabulary : tensor.rows;
}

void write_weights(const ModelShape& shape, const UnitReader& weights, const std::filesystem::path& file) {
  const auto units = unit_tensors(shape);
  std::vector<SafetensorsWriter::Tensor> announced;
  for (const auto& unit : units)
    for (const auto& tensor : unit.tensors) {
      const std::int64_t rows = written_rows(shape, tensor);
      announced.push_back({tensor.name, tensor.is_vector ? std::vector{tensor.columns} : std::vector{rows, tensor.columns}});
    }

  SafetensorsWriter out(file, announced);
  std::vector<float> piece(std::size_t{1} << 20);
  for (int unit = 0; unit < unit_count(shape); ++unit)
    for (const auto& tensor : units[static_cast<std::size_t>(unit)].tensors) {
      const std::int64_t end = tensor.offset + written_rows(shape, tensor) * tensor.columns;
      for (std::int64_t at = tensor.offset; at < end;) {
        const std::int64_t count = std::min<std::int64_t>(end - at, static_cast<std::int64_t>(piece.size()));
        const auto values = std::span(piece).first(static_cast<std::size_t>(count));
        weights(unit, {at, at + count}, values);
        out.write(values);
        at += count;
      }
    }
  out.finish();
}

}   // namespace

void export_hf(const ModelShape& shape, const HfTokens& tokens, const UnitReader& weights, const std::filesystem::path& folder) {
  write_text(folder / "config.json", to_json_pretty(config_of(shape, tokens)) + "\n");
  write_text(folder / "generation_config.json", to_json_pretty(generation_config_of(tokens)) + "\n");
  write_weights(shape, weights, folder / "model.safetensors");
}

}   // namespace lastro
