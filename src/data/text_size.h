#pragma once

#include <cstdint>
#include <filesystem>

namespace lastro {

// About how many bytes a file holds once gzip or zstd is undone: exact where it is not packed, or small; else as the ratio of its first 256 KiB
// has it. Of damaged data, as many as lie on disk: reading says what is wrong. Throws EnvironmentError when the file cannot be read.
std::uint64_t text_bytes_of(const std::filesystem::path& file);

// Throws ContractError when the file's name says gzip or zstd and its bytes do not, or its bytes say something else that packs files.
void expect_named_truly(const std::filesystem::path& file);

}   // namespace lastro
