#include "app/text_lines.h"

#include <fstream>
#include <iostream>
#include <string>

#include "core/json.h"
#include "domain/errors.h"

namespace lastro {

void for_each_text(const std::filesystem::path& file, const std::function<void(std::string_view text)>& on_text) {
  std::ifstream opened;
  if (file != "-") {
    if (std::filesystem::is_directory(file)) throw UsageError(file.string() + " is a folder (a file of {\"text\": ...} lines is wanted)");
    opened.open(file, std::ios::binary);
    if (!opened) throw EnvironmentError(file.string() + " cannot be opened (is the path right?)");
  }
  std::istream& input = file == "-" ? std::cin : opened;
  std::string line;
  for (int number = 1; std::getline(input, line); ++number) {
    if (line.empty()) continue;
    const std::string place = file.string() + ":" + std::to_string(number);
    const Node row = parse_json(line, place);
    const Node* text = row.find("text");
    if (!text || !text->as<std::string>()) throw ContractError(place + ": no \"text\" (each line is an object {\"text\": \"...\"})");
    on_text(text->text());
  }
}

}   // namespace lastro
