#include "text/text_file.h"

#include <fstream>
#include <sstream>

#include "domain/errors.h"

namespace lastro {

std::string read_text_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  if (!file) throw EnvironmentError("cannot read " + path.string() + " (it is missing or not readable) check the path");
  return text.str();
}

void write_text_file(const std::filesystem::path& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (!file) throw EnvironmentError("cannot write " + path.string() + " (the file system refused) make room and run the same command again");
}

}   // namespace lastro
