#include "app/text_lines.h"

#include <fstream>
#include <iostream>
#include <string>

#include "core/json.h"
#include "domain/errors.h"

namespace lastro {
namespace {

std::string text_of(const std::string& line, const std::string& place) {
  constexpr auto form = "each line is an object {\"text\": \"...\"}";
  Node row;
  try {
    row = parse_json(line, place);
  } catch (const ContractError& error) {
    std::string what = error.what();   // place:1:column: reason; the row is one line
    throw UsageError(what.erase(place.size(), 2) + " (" + form + ")");
  }
  const Node* text = row.find("text");
  if (!text || !text->as<std::string>()) throw UsageError(place + ": no text under \"text\" (" + form + ")");
  return text->text();
}

}   // namespace

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
    on_text(text_of(line, file.string() + ":" + std::to_string(number)));
  }
}

}   // namespace lastro
