#include "pipeline/workplace.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "core/files.h"
#include "core/json.h"
#include "core/yaml.h"

extern char** environ;

namespace lastro::pipeline {
namespace fs = std::filesystem;
namespace {

constexpr auto patience = std::chrono::minutes(5);
constexpr auto poll_interval = std::chrono::milliseconds(5);
const fs::path source_folder = LASTRO_SOURCE_FOLDER;

// Of a file that may vanish, as those of /proc do.
std::string text_of(const fs::path& file) {
  std::ifstream input(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(input), {}};
}

std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream input(text);
  for (std::string part; std::getline(input, part, separator);) parts.push_back(part);
  return parts;
}

std::vector<std::string> joined(const Variables& more) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry; ++entry)
    if (!std::string_view(*entry).starts_with("LASTRO_")) all.emplace_back(*entry);
  for (const auto& [name, value] : more) all.push_back(name + "=" + value);
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

[[noreturn]] void become(const Words& command, const Variables& environment, const fs::path& folder, const fs::path& out, const fs::path& err) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::setpgid(0, 0);
  std::vector<std::string> words = command, variables = joined(environment);
  const auto open_for = [](const fs::path& file, int number) { ::dup2(::open(file.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0644), number); };
  ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
  open_for(out, STDOUT_FILENO);
  open_for(err, STDERR_FILENO);
  if (::chdir(folder.c_str()) == 0) ::execvpe(words[0].c_str(), pointers(words).data(), pointers(variables).data());
  ::_exit(127);
}

}   // namespace

std::string Ended::last_line() const {
  const auto lines = parts_of(out, '\n');
  return lines.empty() ? "" : lines.back();
}

std::ostream& operator<<(std::ostream& to, const Ended& ended) {
  return to << "exit code " << ended.exit_code << "\n--- stdout\n" << ended.out << "--- stderr\n" << ended.err << "---";
}

Started::Started(const Words& command, const Variables& environment, const fs::path& folder) {
  static int number = 0;
  ++number;
  out_ = folder / ("stdout-" + std::to_string(number));
  err_ = folder / ("stderr-" + std::to_string(number));
  pid_ = ::fork();
  if (pid_ < 0) throw std::runtime_error("cannot start " + command.at(0) + " (fork failed)");
  if (pid_ == 0) become(command, environment, folder, out_, err_);
  ::setpgid(pid_, pid_);
}

Started::~Started() {
  if (!ended_) {
    ::kill(-pid_, SIGKILL);
    ::waitpid(pid_, &status_, 0);
  }
}

void Started::signal(int number) const { ::kill(pid_, number); }

bool Started::is_running() {
  if (!ended_) ended_ = ::waitpid(pid_, &status_, WNOHANG) == pid_;
  return !ended_;
}

Ended Started::wait() {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (is_running()) {
    if (std::chrono::steady_clock::now() > deadline) {
      ADD_FAILURE() << "the command does not end; it said\n" << text_of(out_) << text_of(err_);
      ::kill(-pid_, SIGKILL);
    }
    std::this_thread::sleep_for(poll_interval);
  }
  return {WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_), text_of(out_), text_of(err_)};
}

Digests golden(const std::string& name) {
  Digests digests;
  std::istringstream lines(read_file(source_folder / "tests/pipeline" / (name + ".digests")));
  for (std::string stage, digest; lines >> stage >> digest;) digests[stage] = digest;
  return digests;
}

fs::path small_manifest() { return source_folder / "tests/pipeline/small.yaml"; }
fs::path tiny_manifest() { return source_folder / "manifests/tiny.yaml"; }

std::unique_ptr<Started> Workplace::start(const Words& words) const {
  Words command{(source_folder / "launch/lastro").string()};
  command.insert(command.end(), words.begin(), words.end());
  Variables all{{"LASTRO_BIN", LASTRO_BIN_FOLDER}, {"XDG_CACHE_HOME", (folder_ / "cache").string()}};
  all.insert(all.end(), environment.begin(), environment.end());
  return std::make_unique<Started>(command, all, folder_.path());
}

Ended Workplace::command(const Words& words) const {
  Variables all{{"LASTRO_BIN", LASTRO_BIN_FOLDER}, {"LAUNCH", (source_folder / "launch").string()}, {"XDG_CACHE_HOME", (folder_ / "cache").string()}};
  all.insert(all.end(), environment.begin(), environment.end());
  return Started(words, all, folder_.path()).wait();
}

Words Workplace::words_of(const std::string& verb, const Words& more) const {
  Words words{verb, manifest.string(), "--run", run.string(), "--store", store.string()};
  if (verb == "run" && std::find(more.begin(), more.end(), "--threads") == more.end()) words.insert(words.end(), {"--threads", "1"});
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Ended Workplace::ask(const std::string& verb, const Words& more) const {
  Words words{verb, run.string(), "--store", store.string()};
  words.insert(words.end(), more.begin(), more.end());
  return lastro(words);
}

Node Workplace::record() const {
  Problems problems;
  Node tree = parse_yaml(read_file(run / "manifest.out.yaml"), "manifest.out.yaml", problems);
  for (const Problem& problem : problems) ADD_FAILURE() << problem.to_string();
  return tree;
}

Digests Workplace::digests() const {
  Digests digests;
  const Node tree = record();
  for (const Entry& entry : tree.at("stages").entries())
    if (const Node* digest = entry.value.find("output_hash")) digests[entry.key] = digest->text();
  return digests;
}

Node Workplace::stage(std::string_view name) const { return record().at("stages").at(name); }

std::string Workplace::status_of(std::string_view stage) const {
  const Node entry = this->stage(stage);
  const Node* status = entry.find("status");
  return status ? status->text() : "";
}

fs::path Workplace::object(std::string_view stage) const {
  return store / "objects" / this->stage(stage).at("output_hash").text().substr(std::string_view("sha256:").size());
}

std::vector<std::int64_t> Workplace::steps_trained() const {
  std::vector<std::int64_t> steps;
  const std::string text = text_of(run / "metrics.jsonl");
  for (const std::string& line : parts_of(text.substr(0, text.rfind('\n') + 1), '\n')) {
    const Node metrics = parse_json(line, "metrics.jsonl");
    if (const Node* step = metrics.find("step")) steps.push_back(step->integer());
  }
  return steps;
}

std::string Workplace::log(std::string_view stage) const { return text_of(run / "logs" / (std::string(stage) + ".log")); }

std::string Workplace::write(std::string_view name, std::string_view text) const {
  const fs::path file = folder_ / name;
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
  return file.string();
}

namespace {

// Every process whose first word ends with `program` and that was given this folder.
std::vector<pid_t> processes_of(const std::string& program, const fs::path& run) {
  std::vector<pid_t> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != name.npos) continue;
    const std::vector<std::string> words = parts_of(text_of(entry.path() / "cmdline"), '\0');
    if (words.empty() || fs::path(words[0]).filename() != program) continue;
    if (std::find(words.begin(), words.end(), run.string()) != words.end()) found.push_back(static_cast<pid_t>(std::stol(name)));
  }
  return found;
}

int rank_of(pid_t process) {
  for (const std::string& variable : parts_of(text_of("/proc/" + std::to_string(process) + "/environ"), '\0'))
    if (variable.starts_with("OMPI_COMM_WORLD_RANK=")) return std::stoi(variable.substr(variable.find('=') + 1));
  return 0;
}

}   // namespace

std::vector<pid_t> Workplace::ranks() const {
  std::vector<pid_t> processes = processes_of("lastro-rank", run);
  std::sort(processes.begin(), processes.end(), [](pid_t a, pid_t b) { return rank_of(a) < rank_of(b); });
  return processes;
}

std::optional<pid_t> Workplace::launcher() const {
  for (const char* const name : {"mpirun", "prterun"}) {   // what Open MPI 4 and Open MPI 5 call it
    const std::vector<pid_t> found = processes_of(name, run);
    if (!found.empty()) return found.front();
  }
  return std::nullopt;
}

void wait_until(const std::string& what, const std::function<bool()>& is_so) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!is_so()) {
    if (std::chrono::steady_clock::now() > deadline) {
      FAIL() << "waited in vain until " << what;
    }
    std::this_thread::sleep_for(poll_interval);
  }
}

void wait_for_step(const Workplace& here, std::int64_t step) {
  wait_until("step " + std::to_string(step) + " is trained", [&] {
    const std::vector<std::int64_t> steps = here.steps_trained();
    return !steps.empty() && steps.back() >= step;
  });
}

std::vector<Node> json_lines_of(const Ended& ended) {
  std::vector<Node> lines;
  for (const std::string& line : parts_of(ended.out, '\n'))
    if (line.starts_with('{')) lines.push_back(parse_json(line, "stdout"));
  return lines;
}

Node json_of(const Ended& ended) { return parse_json(ended.out, "stdout"); }   // nothing beside it

}   // namespace lastro::pipeline
