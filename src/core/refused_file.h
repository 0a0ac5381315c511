#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace lastro {

// What the file system refuses, in the words of every room: "PATH cannot be written (No space left on device) free some space and run the same
// command again". `call` is libc's, `error` its errno. Throws EnvironmentError.
[[noreturn]] void refuse_file(const std::filesystem::path& path, std::string_view what, const char* call, int error);

// What a person may do about an errno of the file system, with a blank before it; empty where nothing is known to help.
std::string hint_for(int error);

}   // namespace lastro
