#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "domain/node.h"

namespace lastro {

// A JSON object whose text ends with its own SHA-256: the last key is "self_sha256", the hash of the text without that entry. Every byte counts,
// those of the layout too.
inline constexpr std::string_view seal_key = "self_sha256";
std::string sealed_text(const Node& content);
// Throws ContractError (file, wanted, found): the object does not hold what its seal was made of.
[[noreturn]] void refuse_seal(const std::string& file, const Node& sealed, const Node& content);

// As a file. Reading throws ContractError when the seal does not match; the result has no "self_sha256".
void write_sealed_json(const std::filesystem::path& path, const Node& content);
Node read_sealed_json(const std::filesystem::path& path);

}   // namespace lastro
