#include "text/text_file.h"

#include <cerrno>
#include <cstdio>
#include <memory>

#include "core/refused_file.h"

namespace lastro {

std::string read_text_file(const std::filesystem::path& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"), &std::fclose);
  if (!file) refuse_file(path, "cannot be opened", "fopen", errno);
  std::string text;
  char block[1 << 14];
  while (const std::size_t bytes = std::fread(block, 1, sizeof block, file.get())) text.append(block, bytes);
  if (std::ferror(file.get())) refuse_file(path, "cannot be read", "fread", errno);
  return text;
}

void write_text_file(const std::filesystem::path& path, std::string_view text) {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wbe"), &std::fclose);
  if (!file) refuse_file(path, "cannot be created", "fopen", errno);
  if (std::fwrite(text.data(), 1, text.size(), file.get()) != text.size()) refuse_file(path, "cannot be written", "fwrite", errno);
  if (std::fclose(file.release()) != 0) refuse_file(path, "cannot be written", "fclose", errno);
}

}   // namespace lastro
