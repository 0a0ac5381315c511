#include "core/sealed_json.h"

#include <array>

#include "core/files.h"
#include "core/hash.h"
#include "core/json.h"
#include "domain/errors.h"

namespace lastro {

std::string sealed_text(const Node& content) {
  Node sealed = content;
  sealed.set(seal_key, sha256(to_json_pretty(content)).to_string());
  return to_json_pretty(sealed) + "\n";
}

void refuse_seal(const std::string& file, const Node& sealed, const Node& content) {
  const Node* seal = sealed.find(seal_key);
  const std::string wanted = seal && seal->as<std::string>() ? seal->text() : "(no seal)";
  const std::string found = sha256(to_json_pretty(content)).to_string();
  const std::string reason = found == wanted ? "its seal is that of its content, but bytes of its layout or behind its end were changed"
                                             : "its content's hash is " + found + ", its seal says " + wanted;
  throw ContractError(file + " is damaged (" + reason + ")", file, wanted, found);
}

void write_sealed_json(const std::filesystem::path& path, const Node& content) { write_file(path, sealed_text(content)); }

Node read_sealed_json(const std::filesystem::path& path) {
  const std::string text = read_file(path);
  const Node sealed = parse_json(text, path.string());
  Node content = sealed.without(std::array{seal_key});
  if (text != sealed_text(content)) refuse_seal(path.string(), sealed, content);
  return content;
}

}   // namespace lastro
