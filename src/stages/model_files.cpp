#include "stages/model_files.h"

#include "core/hash.h"
#include "core/json.h"
#include "domain/errors.h"
#include "text/text_file.h"

namespace lastro {
namespace fs = std::filesystem;
namespace {

Digest digest_in(const Node& node, std::string_view key, const fs::path& file) {
  const Node* value = node.find(key);
  const auto digest = value && value->as<std::string>() ? Digest::parse(value->text()) : std::nullopt;
  if (!digest) throw ContractError(file.string() + " is damaged (\"" + std::string(key) + "\" is no digest)");
  return *digest;
}

}   // namespace

Digest write_model_files(const fs::path& output, const ModelFiles& files, const fs::path& tokenizer_folder) {
  Node node;
  node.set("format", "lastro-model-1");
  node.set("shape", to_node(files.shape));
  node.set("tokenizer", files.tokenizer.to_string());
  node.set("dataset", files.dataset.to_string());
  const std::string text = to_json_pretty(node);
  write_text_file(output / "model.json", text);
  fs::copy(tokenizer_folder, output / "tokenizer", fs::copy_options::recursive);
  return sha256(text);
}

ModelFiles read_model_files(const fs::path& model_folder) {
  const fs::path path = model_folder / "model.json";
  if (!fs::exists(path)) throw ContractError(path.string() + " does not exist (the folder holds no model of Lastro's) name another");
  const Node node = parse_json(read_text_file(path), path.string());
  return {model_shape_from(node.at("shape")), digest_in(node, "tokenizer", path), digest_in(node, "dataset", path)};
}

Digest model_content(const Digest& logical_state, const Digest& model_json) {
  return Sha256()
      .update("lastro-model-content-1")
      .update(std::as_bytes(std::span(logical_state.bytes)))
      .update(std::as_bytes(std::span(model_json.bytes)))
      .finish();
}

}   // namespace lastro
