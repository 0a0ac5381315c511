#include "model/hf_import.h"

#include <algorithm>
#include <string>

#include "core/files.h"
#include "core/json.h"
#include "domain/errors.h"
#include "model/tensors.h"

namespace lastro {

namespace {

// config.json with messages that name the file and the key.
class Config {
 public:
  explicit Config(const std::filesystem::path& folder) : file_(folder / "config.json"), tree_(parse_json(read_file(file_), file_.string())) {}

  [[noreturn]] void refuse(std::string_view key, const std::string& why) const {
    throw ContractError(file_.string() + ": " + std::string(key) + " " + why);
  }
  // Null where absent or null.
  const Node* find(std::string_view key) const {
    const Node* value = tree_.find(key);
    return value && !value->is_null() ? value : nullptr;
  }
  std::int64_t integer(std::string_view key) const {
    const Node* value = find(key);
    if (!value || !value->as<std::int64_t>() || value->integer() < 1)
      refuse(key, "is not a positive integer (the model cannot be laid out without it)");
    return value->integer();
  }
  std::int64_t integer_or(std::string_view key, std::int64_t otherwise) const { return find(key) ? integer(key) : otherwise; }
  double number_or(std::string_view key, double otherwise) const { return number_in(find(key), key, otherwise); }
  double number_in(const Node* value, std::string_view key, double otherwise) const {
    if (!value) return otherwise;
    if (!value->is_number()) refuse(key, "is not a number");
    return value->number();
  }
  bool is_true(std::string_view key) const {
    const Node* value = find(key);
    return value && value->as<bool>() && *value->as<bool>();
  }
  std::string text_or(std::string_view key, std::string otherwise) const {
    const Node* value = find(key);
    return value && value->as<std::string>() ? value->text() : otherwise;
  }

 private:
  std::filesystem::path file_;
  Node tree_;
};

void check_class(const Config& config) {
  if (const auto type = config.text_or("model_type", "llama"); type != "llama")
    config.refuse("model_type", "is " + type + " (only llama is computed here)");
  if (const auto act = config.text_or("hidden_act", "silu"); act != "silu")
    config.refuse("hidden_act", "is " + act + " (only silu is computed here)");
  for (const auto* key : {"attention_bias", "mlp_bias"})
    if (config.is_true(key)) config.refuse(key, "is true (layers have no biases here)");
}

// transformers 4 has rope_theta and rope_scaling, 5 has rope_parameters.
double rope_theta_of(const Config& config) {
  for (const auto* key : {"rope_parameters", "rope_scaling"})
    if (const Node* rope = config.find(key)) {
      const Node* type = rope->find("rope_type") ? rope->find("rope_type") : rope->find("type");
      if (type && type->as<std::string>() && type->text() != "default")
        config.refuse(key, "scales rotary positions by " + type->text() + " (only default positions are computed here)");
      if (const Node* theta = rope->find("rope_theta")) return config.number_in(theta, "rope_theta", 10000.0);
    }
  return config.number_or("rope_theta", 10000.0);
}

std::string extents_text(const std::vector<std::int64_t>& extents) {
  std::string text = "[";
  for (const std::int64_t extent : extents) text += (text.size() > 1 ? ", " : "") + std::to_string(extent);
  return text + "]";
}

bool is_by_token(const NamedTensor& tensor) { return tensor.name == "model.embed_tokens.weight" || tensor.name == "lm_head.weight"; }

void check_shape(const TensorSource::Entry& entry, const NamedTensor& tensor, const ModelShape& shape) {
  const std::int64_t rows = is_by_token(tensor) ? shape.vocabulary : tensor.rows;
  const auto wanted = tensor.is_vector ? std::vector{tensor.columns} : std::vector{rows, tensor.columns};
  const bool is_padded = is_by_token(tensor) && entry.shape == std::vector{tensor.rows, tensor.columns};
  if (entry.shape != wanted && !is_padded)
    throw ContractError("tensor " + tensor.name + " has shape " + extents_text(entry.shape) + " (wanted " + extents_text(wanted) +
                            ") do config.json and the weights belong together?",
                        tensor.name, extents_text(wanted), extents_text(entry.shape));
}

}   // namespace

ModelShape shape_from_hf(const std::filesystem::path& folder, std::int64_t vocabulary_multiple) {
  const Config config(folder);
  check_class(config);
  ModelShape shape;
  shape.vocabulary = config.integer("vocab_size");
  shape.width = config.integer("hidden_size");
  shape.layers = config.integer("num_hidden_layers");
  shape.heads = config.integer("num_attention_heads");
  shape.kv_heads = config.integer_or("num_key_value_heads", shape.heads);
  shape.head_dim = config.integer_or("head_dim", 0);
  shape.ffn = config.integer("intermediate_size");
  shape.context = config.integer("max_position_embeddings");
  shape.tied = config.is_true("tie_word_embeddings");
  shape.rope_theta = rope_theta_of(config);
  shape.norm_eps = config.number_or("rms_norm_eps", 1e-6);
  shape.init_std = config.number_or("initializer_range", 0.02);
  shape.vocabulary_multiple = vocabulary_multiple;
  if (const auto problems = cross_problems(shape); !problems.empty()) config.refuse("the model", "cannot be computed here: " + problems.front().text);
  return complete(shape, shape.vocabulary);
}

void import_unit(TensorSource& source, const ModelShape& shape, int unit, std::span<float> values) {
  const UnitTensors tensors = unit_tensors(shape).at(static_cast<std::size_t>(unit));
  if (static_cast<std::int64_t>(values.size()) != tensors.elements()) throw InternalError("import: values are not as many as the unit has");
  for (const auto& tensor : tensors.tensors) {
    const auto* entry = source.find(tensor.name);
    if (!entry) throw ContractError("tensor " + tensor.name + " is missing (config.json says that the model has it) fetch the weights again");
    check_shape(*entry, tensor, shape);
    const auto place = values.subspan(static_cast<std::size_t>(tensor.offset), static_cast<std::size_t>(tensor.elements()));
    source.read(*entry, place.first(static_cast<std::size_t>(entry->elements())));
    if (is_by_token(tensor)) std::fill(place.begin() + shape.vocabulary * tensor.columns, place.end(), 0.0f);
  }
}

void check_all_used(const TensorSource& source, const ModelShape& shape) {
  for (const auto& entry : source.entries()) {
    const bool is_tied_copy = shape.tied && entry.name == "lm_head.weight";
    if (is_tied_copy || entry.name.ends_with("rotary_emb.inv_freq") || find_tensor(shape, entry.name)) continue;
    throw ContractError("tensor " + entry.name + " has no place in the model (config.json does not account for it) is it a Llama-class model?");
  }
}

}   // namespace lastro
