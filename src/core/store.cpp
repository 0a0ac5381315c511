#include "core/store.h"

#include <algorithm>

#include "core/hash.h"

namespace lastro {

Damage damage_of(const std::string& file, const Error& error) {
  std::string_view reason = error.what();
  if (reason.starts_with(file)) reason.remove_prefix(file.size());
  reason.remove_prefix(std::min(reason.find_first_not_of(" :"), reason.size()));
  constexpr std::string_view opening = "is damaged (";
  if (reason.starts_with(opening) && reason.ends_with(')')) reason = reason.substr(opening.size(), reason.size() - opening.size() - 1);
  const auto* contract = dynamic_cast<const ContractError*>(&error);
  return {file, std::string(reason), contract ? contract->wanted : "", contract ? contract->found : ""};
}

Digest digest_of_files(ArtifactType type, const std::vector<ArtifactFile>& files) {
  Sha256 hash;
  const auto text = [&hash](std::string_view value) { hash.update_u64(value.size()).update(value); };
  text(name_of(type));
  for (const ArtifactFile& file : files) {
    text(file.name);
    hash.update_u64(file.bytes).update(std::as_bytes(std::span(file.sha256.bytes)));
  }
  return hash.finish();
}

}   // namespace lastro
