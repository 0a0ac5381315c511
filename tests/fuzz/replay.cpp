// replay_<target> CORPUS [CHANGES]   the target holds for the files of a folder (what was found once), for good inputs, and for CHANGES of each
// replay_<target> --write CORPUS     writes the good inputs into a folder, for libFuzzer to begin with
//
// Where the target does not hold, the program dies; what it was given then is in the file replay_<target>.input of the folder it ran in.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "core/random.h"
#include "fuzz_target.h"

namespace fs = std::filesystem;
using namespace lastro;

namespace {

std::vector<std::string> files_of(const fs::path& folder) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> texts;
  for (const fs::path& path : paths) texts.push_back(bytes_of(path));
  return texts;
}

// An input with a few places cut, doubled or overwritten by what means something to a reader of text, or by any byte.
std::string changed(std::string text, std::uint64_t seed) {
  static constexpr std::string_view pieces[] = {":",
                                                ": ",
                                                "- ",
                                                "\n",
                                                "\n  ",
                                                "{",
                                                "}",
                                                "[",
                                                "]",
                                                ",",
                                                "'",
                                                "\"",
                                                "|",
                                                ">",
                                                "&a ",
                                                "*a",
                                                "!",
                                                "#",
                                                "? ",
                                                "\t",
                                                "---\n",
                                                "<<: ",
                                                "~",
                                                "\\",
                                                "%",
                                                "@",
                                                "null",
                                                "true",
                                                "0",
                                                "-1",
                                                "1e99",
                                                "0x",
                                                "{}",
                                                "[]",
                                                "0.5",
                                                ".inf",
                                                "\xFF",
                                                "é",
                                                "sha256:",
                                                "kind",
                                                "9223372036854775807",
                                                std::string_view("\0", 1)};
  std::uint64_t drawn = 0;
  const auto draw = [&](std::uint64_t below) { return random_u64(seed, Purpose::test, drawn++) % below; };
  for (std::uint64_t left = 1 + draw(4); left > 0 && !text.empty(); --left) {
    const std::size_t at = draw(text.size()), length = draw(30);
    const std::string_view piece = pieces[draw(std::size(pieces))];
    switch (draw(6)) {
      case 0: text.erase(at, length); break;
      case 1: text.insert(at, text.substr(draw(text.size()), length)); break;
      case 2: text.replace(at, 1, piece); break;
      case 3: text.insert(at, piece); break;
      case 4: text[at] = static_cast<char>(draw(256)); break;
      default: {   // a whole number gives way
        const std::size_t digit = text.find_first_of("0123456789", at);
        if (digit != text.npos) text.replace(digit, std::min(text.find_first_not_of("0123456789", digit), text.size()) - digit, piece);
      }
    }
  }
  return text;
}

}   // namespace

int main(int count, char** arguments) {
  const std::vector<std::string_view> words(arguments + 1, arguments + count);
  if (words.empty()) return 2;
  if (words[0] == "--write") {
    std::size_t number = 0;
    for (const std::string& input : good_inputs())
      std::ofstream(fs::path(words.at(1)) / ("good-" + std::to_string(number++)), std::ios::binary) << input;
    return 0;
  }

  const std::string note = fs::path(arguments[0]).filename().string() + ".input";
  std::ofstream noted(note, std::ios::binary);   // kept open: some file systems wait for the disk when a shortened file is closed
  int replayed = 0;
  const auto replay = [&](const std::string& input) {
    (noted << input).flush().seekp(0);
    fs::resize_file(note, input.size());
    must_hold_for(input);
    ++replayed;
  };
  std::vector<std::string> inputs = good_inputs();
  if (fs::exists(words[0]))   // nothing was found yet
    for (std::string& found : files_of(words[0])) inputs.push_back(std::move(found));
  const std::uint64_t changes = words.size() > 1 ? std::strtoull(words[1].data(), nullptr, 10) : 500;
  for (const std::string& input : inputs) {
    replay(input);
    for (std::uint64_t seed = 0; seed < changes; ++seed) replay(changed(input, seed));
    for (std::size_t cut = 0; cut < 100; ++cut) replay(input.substr(0, input.size() * cut / 100));
  }
  fs::remove(note);
  std::printf("held for %d inputs\n", replayed);
}
