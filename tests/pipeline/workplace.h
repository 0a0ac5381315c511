#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "domain/node.h"
#include "support/temporary_folder.h"

namespace lastro::pipeline {

using Words = std::vector<std::string>;
using Variables = std::vector<std::pair<std::string, std::string>>;

// How a command ended, and what it said.
struct Ended {
  int exit_code = -1;   // 128 + the signal for one that was killed
  std::string out;
  std::string err;

  std::string last_line() const;   // of stdout
};
// For a failed expectation: everything.
std::ostream& operator<<(std::ostream& to, const Ended& ended);

// A command under way, in a process group of its own. Who lets go of it without waiting ends it and all that it started.
class Started {
 public:
  Started(const Words& command, const Variables& environment, const std::filesystem::path& folder);
  ~Started();
  Started(const Started&) = delete;
  Started& operator=(const Started&) = delete;

  pid_t pid() const { return pid_; }
  void signal(int number) const;
  bool is_running();
  Ended wait();   // a command that has not ended after two minutes is killed, and the test fails

 private:
  pid_t pid_ = -1;
  int status_ = 0;
  bool ended_ = false;
  std::filesystem::path out_;
  std::filesystem::path err_;
};

// Stage name -> output_hash.
using Digests = std::map<std::string, std::string>;

// What tests/pipeline/<name>.digests holds: the digests that this manifest has everywhere. `tests/pipeline/regenerate` writes them.
Digests golden(const std::string& name);
std::filesystem::path small_manifest();
std::filesystem::path tiny_manifest();

// A folder in which a user works with launch/lastro: one run directory, one store.
class Workplace {
  TemporaryFolder folder_;

 public:
  std::filesystem::path operator/(std::string_view name) const { return folder_.path() / name; }
  std::filesystem::path run = folder_ / "run";
  std::filesystem::path store = folder_ / "store";
  std::filesystem::path manifest = small_manifest();
  Variables environment;   // for every command from here on

  // `launch/lastro` and these words.
  std::unique_ptr<Started> start(const Words& words) const;
  Ended lastro(const Words& words) const { return start(words)->wait(); }
  // Any command, in this folder and with the same environment.
  Ended command(const Words& words) const;

  // `run` (or another command on the manifest) with this workplace's places, one thread a rank, and more words.
  Words words_of(const std::string& verb, const Words& more = {}) const;
  std::unique_ptr<Started> start_run(const Words& more = {}) const { return start(words_of("run", more)); }
  Ended run_it(const Words& more = {}) const { return start_run(more)->wait(); }
  // A command on the run directory: status, verify, gate, ...
  Ended ask(const std::string& verb, const Words& more = {}) const;

  Node record() const;                                          // manifest.out.yaml
  Digests digests() const;                                      // the record's output hashes
  Node stage(std::string_view name) const;                      // the record's entry of a stage
  std::string status_of(std::string_view stage) const;          // "" when the record has none
  std::filesystem::path object(std::string_view stage) const;   // where the store has a stage's artifact
  std::vector<std::int64_t> steps_trained() const;              // of metrics.jsonl, in order
  std::string log(std::string_view stage) const;
  std::string write(std::string_view name, std::string_view text) const;   // a file of the user's; its path

  // Processes of this run, from /proc.
  std::vector<pid_t> ranks() const;        // lastro-rank, by rank
  std::optional<pid_t> launcher() const;   // the process of mpirun
};

// Polls until `is_so`; fails the test after a minute.
void wait_until(const std::string& what, const std::function<bool()>& is_so);
void wait_for_step(const Workplace& here, std::int64_t step);

// The lines of a command's stdout that are JSON; the one that there is.
std::vector<Node> json_lines_of(const Ended& ended);
Node json_of(const Ended& ended);

}   // namespace lastro::pipeline
