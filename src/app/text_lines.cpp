#include "app/text_lines.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>

#include "core/json.h"
#include "core/refused_file.h"
#include "domain/errors.h"

namespace lastro {
namespace {

std::string text_of(std::string_view line, const std::string& place) {
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

// The lines of a file, or of stdin; an error of reading is no end.
class LineReader {
 public:
  explicit LineReader(const std::filesystem::path& file)
      : path_(file == "-" ? "stdin" : file), file_(file == "-" ? stdin : std::fopen(file.c_str(), "rbe"), &std::fclose) {
    if (!file_) refuse_file(path_, "cannot be opened", "fopen", errno);
  }
  ~LineReader() { std::free(line_); }
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  // Without its end; valid until the next one is read.
  std::optional<std::string_view> next() {
    const ssize_t bytes = ::getline(&line_, &room_, file_.get());
    if (bytes < 0 && !std::feof(file_.get())) refuse_file(path_, "cannot be read", "getline", errno);
    if (bytes < 0) return std::nullopt;
    const std::string_view line(line_, static_cast<std::size_t>(bytes));
    return line.ends_with('\n') ? line.substr(0, line.size() - 1) : line;
  }

 private:
  std::filesystem::path path_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  char* line_ = nullptr;
  std::size_t room_ = 0;
};

}   // namespace

void for_each_text(const std::filesystem::path& file, const std::function<void(std::string_view text)>& on_text) {
  if (file != "-" && std::filesystem::is_directory(file))
    throw UsageError(file.string() + " is a folder (a file of {\"text\": ...} lines is wanted)");
  LineReader input(file);
  for (std::int64_t number = 1; const auto line = input.next(); ++number)
    if (!line->empty()) on_text(text_of(*line, file.string() + ":" + std::to_string(number)));
}

}   // namespace lastro
