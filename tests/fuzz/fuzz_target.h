#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "domain/errors.h"
#include "support/temporary_folder.h"

// A fuzz target is what must hold for any bytes: it ends, and what it says is false does not happen. It does not know where the bytes come from:
// libFuzzer (clang) looks for them, replay.cpp (any compiler) makes them from good ones.
namespace lastro {

void must_hold_for(std::string_view bytes);

// Good inputs, to change.
std::vector<std::string> good_inputs();

inline void require(bool holds) {
  if (!holds) __builtin_trap();
}

// Bytes may be refused in one way alone. (Another exception ends the program.)
template <class Body>
void reads_or_refuses(Body body) {
  try {
    body();
  } catch (const ContractError&) {}
}

// For readers that take files. One a process, in memory where that can be.
inline const std::filesystem::path& fuzz_folder() {
  static const TemporaryFolder folder(std::filesystem::exists("/dev/shm") ? std::filesystem::path("/dev/shm")
                                                                          : std::filesystem::temp_directory_path());
  return folder.path();
}

inline std::filesystem::path fuzz_file(std::string_view name, std::string_view bytes) {
  const std::filesystem::path path = fuzz_folder() / name;
  std::ofstream(path, std::ios::binary | std::ios::trunc).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return path;
}

inline std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}   // namespace lastro
