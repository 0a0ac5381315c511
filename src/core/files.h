#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "domain/node.h"

namespace lastro {

// Files, whole and durable. A port: infra/posix has the implementation.

// The whole file. Throws EnvironmentError when it cannot be read.
std::string read_file(const std::filesystem::path& path);

// Replaces `path` by a file of this text, all or nothing, durable when it returns (tmp, fsync, rename, fsync of the folder). Throws EnvironmentError.
void write_file(const std::filesystem::path& path, std::string_view text);

// Makes the entries of a folder durable.
void sync_folder(const std::filesystem::path& folder);

// Makes a file's content durable.
void sync_file(const std::filesystem::path& path);

// Creates a folder and its parents; throws EnvironmentError with the first one that cannot be made.
void make_folders(const std::filesystem::path& folder);

// A JSON file that ends with a SHA-256 of itself: the object's last key is "self_sha256", computed over the text before it.
void write_sealed_json(const std::filesystem::path& path, const Node& content);
// Throws ContractError (path, wanted, found) when the seal does not match. The result has no "self_sha256".
Node read_sealed_json(const std::filesystem::path& path);

}   // namespace lastro
