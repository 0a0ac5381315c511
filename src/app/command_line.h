#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace lastro {

// What a person asked for. Options that a command does not have keep their defaults.
struct Invocation {
  std::string command;             // "run", "plan", ...; empty after --help or --version, which have printed
  std::filesystem::path subject;   // the manifest, or the run directory; that of commands on a run may have been named by --run
  std::filesystem::path other;     // diff: the second run; export: the folder to fill
  std::filesystem::path run;       // --run; empty: runs/<name>
  std::filesystem::path store;     // --store; empty: what the manifest says, else runs/store
  std::vector<std::string> sets;   // --set path=value
  int ranks = 1;
  int threads = 0;   // a rank; 0: the machine's cores shared out among the ranks
  bool json = false;

  std::string stage;                  // rollback, audit: which
  bool dry_run = false;               // rollback: only say it
  bool yes = false;                   // gc: do it, do not only say it
  std::optional<std::int64_t> step;   // audit
  std::int64_t leaf = 0;              // audit
  std::string prompt;                 // sample
  std::int64_t tokens = 200;          // sample
  double temperature = 0.8;
  std::int64_t top_k = 0;
  double top_p = 1.0;
  std::int64_t seed = 1;
  std::filesystem::path input;   // score, tokenize: a file of {"text": ...} lines; "-": stdin
  std::string format = "hf";     // export
};

// Throws UsageError with what is wrong and how to ask right. Prints and leaves `command` empty for --help and --version.
Invocation parse_command_line(int argc, char** argv);

}   // namespace lastro
