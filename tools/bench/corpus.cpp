// The parts of tools/bench/corpus: a large corpus, and a command with its peak memory.
//
//   bench_corpus write FOLDER BYTES            FOLDER/prose.txt and FOLDER/rows.jsonl, of BYTES together
//   bench_corpus measure FILE COMMAND...       runs the command; FILE gets "<wall seconds> <peak resident MB of any process of it>"
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "core/random.h"
#include "data/stories.h"

namespace {

using namespace lastro;

constexpr std::uint64_t seed = 7;
constexpr int noise_words = 12;
constexpr double most_words = 3e6;

// The words of a language in which, as in real ones, the k-th is met about 1/k as often as the first: there is always another new one.
std::string noise_word(std::uint64_t story, std::uint64_t place) {
  static constexpr std::string_view onsets = "bdfghjklmnprstvwz", vowels = "aeiou", codas = "nrsl";
  auto rank = static_cast<std::uint64_t>(std::exp(random_unit(seed, Purpose::test, story, place) * std::log(most_words)));
  std::string word;
  do {
    word += onsets[rank % onsets.size()];
    rank /= onsets.size();
    word += vowels[rank % vowels.size()];
    rank /= vowels.size();
    if (rank % 3 == 0) word += codas[rank % codas.size()];
  } while (rank != 0);
  return word;
}

// A story with a sentence of noise; one of a hundred stands there a second time.
std::string text_of(std::int64_t number) {
  if (number % 100 == 99) number /= 2;
  std::string text = story(seed, number) + " They said:";
  for (int place = 0; place < noise_words; ++place) text += " " + noise_word(static_cast<std::uint64_t>(number), static_cast<std::uint64_t>(place));
  return text + ".";
}

std::string row_of(const std::string& text) {
  std::string row = "{\"text\": \"";
  for (const char c : text) {
    if (c == '"') row += '\\';
    row += c;
  }
  return row + "\"}\n";
}

int write(const std::string& folder, std::uint64_t bytes) {
  std::ofstream prose(folder + "/prose.txt", std::ios::binary), rows(folder + "/rows.jsonl", std::ios::binary);
  std::uint64_t written = 0;
  for (std::int64_t number = 0; written < bytes; number += 2) {
    const std::string paragraph = text_of(number) + "\n\n", row = row_of(text_of(number + 1));
    prose << paragraph;
    rows << row;
    written += paragraph.size() + row.size();
  }
  if (prose.flush() && rows.flush()) return 0;
  std::fprintf(stderr, "the corpus cannot be written to %s (is the disk full?)\n", folder.c_str());
  return 3;
}

int measure(const char* file, char** command) {
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = ::fork();
  if (child == 0) {
    ::execvp(command[0], command);
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  rusage usage{};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  std::ofstream(file) << std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() << ' ' << usage.ru_maxrss / 1024 << '\n';
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}   // namespace

int main(int argc, char** argv) {
  const std::string verb = argc > 1 ? argv[1] : "";
  if (verb == "write" && argc == 4) return write(argv[2], std::strtoull(argv[3], nullptr, 10));
  if (verb == "measure" && argc >= 4) return measure(argv[2], argv + 3);
  std::fprintf(stderr, "bench_corpus write FOLDER BYTES | measure FILE COMMAND...\n");
  return 2;
}
