#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace lastro {

// A small file as a whole. Throw EnvironmentError naming the path.
std::string read_text_file(const std::filesystem::path& path);
void write_text_file(const std::filesystem::path& path, std::string_view text);

}   // namespace lastro
