#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

namespace lastro {

// Calls `on_text` for the "text" of each line {"text": ...} of a file; "-" is stdin. Throws UsageError with file and line for a line that is
// no such object, EnvironmentError where reading fails.
void for_each_text(const std::filesystem::path& file, const std::function<void(std::string_view text)>& on_text);

}   // namespace lastro
