#pragma once

#include <filesystem>
#include <string>
#include <string_view>

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

}   // namespace lastro
