#include "app/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <set>
#include <sstream>
#include <utility>

#include "app/terminal.h"
#include "core/json.h"
#include "core/nearest.h"
#include "domain/errors.h"
#include "domain/version.h"
#include "runtime/run_record.h"

namespace lastro {
namespace fs = std::filesystem;
namespace {

constexpr const char* introduction =
    "lastro takes a language model from raw text to a gated release, described by one manifest.\n"
    "The same manifest gives the same bits on any number of ranks and threads, through any number of kills.";
constexpr const char* exit_codes =
    "Exit codes: 0 ok, 2 usage or manifest, 3 environment, 4 contract or hash, 5 HOLD, 6 budget or memory, 7 preempted (run the same command "
    "again),\n"
    "8 a rank died (run the same command again), 9 training diverged, 70 internal.";

// CLI11 takes a number that does not fit for the largest that does.
std::string is_seed(const std::string& text) {
  std::int64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  const bool fits = error == std::errc() && end == text.data() + text.size() && seed >= 0;
  return fits ? "" : text + " is no seed (a whole number from 0 to 9223372036854775807)";
}

// Adds options to subcommands; `invocation` is where values go.
class Builder {
 public:
  Builder(CLI::App& app, Invocation& invocation) : app_(app), invocation_(invocation) {}

  CLI::App* command(const std::string& name, const std::string& about) {
    CLI::App* made = app_.add_subcommand(name, about);
    made->callback([this, name] { invocation_.command = name; });
    return made;
  }

  void places(CLI::App* command) {
    command->add_option("--run", invocation_.run, "the run directory (default: runs/<name of the manifest>)");
    command->add_option("--store", invocation_.store, "where artifacts live (default: what the manifest says, else runs/store)");
  }
  void manifest(CLI::App* command) {
    command->add_option("MANIFEST", invocation_.subject, "the manifest, e.g. manifests/dev.yaml")->required();
    command->add_option("--set", invocation_.sets, "change a value of the manifest, recorded with the run: --set sources.prose.path=my.txt")
        ->expected(1)
        ->take_all();
    places(command);
  }
  void run_directory(CLI::App* command) {
    command->add_option("RUN", invocation_.subject, "a run directory, e.g. runs/dev (or --run)");
    places(command);
    of_runs_.insert(command->get_name());
  }
  void size(CLI::App* command) {
    command->add_option("--ranks", invocation_.ranks, "processes that compute together (results do not depend on it)")->check(CLI::Range(1, 1 << 20));
    command->add_option("--threads", invocation_.threads, "threads of each rank (results do not depend on it; default: the cores, shared out)")
        ->check(CLI::Range(1, 4096));
  }
  // Commands on a run take it by either name.
  void settle_run() {
    if (!of_runs_.contains(invocation_.command)) return;
    fs::path& run = invocation_.subject;
    // What stands behind RUN takes its place where --run has named the run.
    const bool wants_stage = invocation_.command == "rollback" && invocation_.stage.empty();
    const bool wants_folder = invocation_.command == "export" && invocation_.other.empty();
    if (!invocation_.run.empty() && wants_stage) invocation_.stage = std::exchange(run, {}).string();
    if (!invocation_.run.empty() && wants_folder) invocation_.other = std::exchange(run, {});
    if ((wants_stage && invocation_.stage.empty()) || (wants_folder && invocation_.other.empty()))
      throw UsageError(std::string(wants_stage ? "STAGE" : "DIR") + " is missing (see lastro " + invocation_.command + " --help)");
    if (run.empty()) run = invocation_.run;
    if (run.empty()) throw UsageError("which run? (RUN is missing) e.g. runs/dev, see lastro " + invocation_.command + " --help");
    if (!invocation_.run.empty() && folder_of(run) != folder_of(invocation_.run))
      throw UsageError("the run is " + run.string() + " and --run is " + invocation_.run.string() + " (two runs for one command) name it once");
  }
  void json(CLI::App* command) { command->add_flag("--json", invocation_.json, "print JSON for programs"); }

 private:
  static fs::path folder_of(const fs::path& run) {
    const fs::path folder = run_folder(fs::absolute(run).lexically_normal());
    return folder.has_filename() ? folder : folder.parent_path();
  }

  CLI::App& app_;
  Invocation& invocation_;
  std::set<std::string> of_runs_;
};

void add_pipeline_commands(Builder& builder, Invocation& invocation) {
  CLI::App* plan = builder.command("plan", "say what a run would do: stages, what is there already and why not, memory, time, cost");
  builder.manifest(plan);
  builder.size(plan);
  builder.json(plan);

  CLI::App* run = builder.command("run", "make what the manifest describes; the same command resumes. The last line is SHIP or HOLD: <reason>");
  builder.manifest(run);
  builder.size(run);
  builder.json(run);

  CLI::App* gate = builder.command("gate", "judge a finished run by its gates");
  builder.run_directory(gate);
  builder.json(gate);

  CLI::App* rollback = builder.command("rollback", "forget a stage and all that builds on it; says first what making it again costs");
  builder.run_directory(rollback);
  rollback->add_option("STAGE", invocation.stage, "e.g. 03_dataset");
  rollback->add_flag("--dry-run", invocation.dry_run, "only say what would happen");
  builder.size(rollback);
  builder.json(rollback);
}

void add_record_commands(Builder& builder, Invocation& invocation) {
  CLI::App* status = builder.command("status", "where a run stands");
  builder.run_directory(status);
  builder.json(status);

  CLI::App* verify = builder.command("verify", "hash everything again that a run names: its sources, its store and its checkpoints");
  builder.run_directory(verify);
  builder.json(verify);

  CLI::App* diff = builder.command("diff", "every difference between two runs outside time and cost");
  diff->add_option("RUN", invocation.subject, "a run directory or a manifest.out.yaml")->required();
  diff->add_option("OTHER", invocation.other, "another")->required();
  builder.json(diff);

  CLI::App* gc = builder.command("gc", "sweep artifacts that no run beside the store names");
  builder.places(gc);
  gc->add_flag("--yes", invocation.yes, "do it; without it, only say what would go");
  builder.json(gc);

  CLI::App* doctor = builder.command("doctor", "what this machine offers: processor, memory, disk, launcher, libraries");
  builder.places(doctor);
  builder.json(doctor);
}

void add_manifest_commands(Builder& builder) {
  builder.command("schema", "print the JSON Schema of manifests, for editors");
  builder.command("reference", "print every field of a manifest, as Markdown");
}

void add_model_commands(Builder& builder, Invocation& invocation) {
  CLI::App* sample = builder.command("sample", "let a run's model write");
  builder.run_directory(sample);
  sample->add_option("--prompt", invocation.prompt, "what the text begins with");
  sample->add_option("--tokens", invocation.tokens, "how many tokens at most")->check(CLI::Range(1, 1000000));
  sample->add_option("--temperature", invocation.temperature, "0: always the likeliest token")->check(CLI::Range(0.0, 100.0));
  sample->add_option("--top-k", invocation.top_k, "only the k likeliest tokens; 0: all")->check(CLI::Range(0, 1 << 24));
  sample->add_option("--top-p", invocation.top_p, "only the likeliest tokens that make up this share")->check(CLI::Range(0.0, 1.0));
  sample->add_option("--seed", invocation.seed, "the same seed writes the same text")->check(is_seed);
  builder.json(sample);

  CLI::App* score = builder.command("score", "log-probabilities of texts under a run's model, one {\"ids\": [...], \"logprobs\": [...]} a line");
  builder.run_directory(score);
  score->add_option("--input", invocation.input, "lines of {\"text\": ...}; -: stdin")->required();
  builder.json(score);

  CLI::App* tokenize = builder.command("tokenize", "token ids of texts, one {\"ids\": [...]} a line");
  builder.run_directory(tokenize);
  tokenize->add_option("--input", invocation.input, "lines of {\"text\": ...}; -: stdin")->required();
  builder.json(tokenize);

  CLI::App* exported = builder.command("export", "write a run's model for other programs");
  builder.run_directory(exported);
  exported->add_option("--format", invocation.format, "hf: a Hugging Face folder")->check(CLI::IsMember({"hf"}));
  exported->add_option("DIR", invocation.other, "the folder to fill; must be new or empty");
  builder.json(exported);

  CLI::App* audit = builder.command("audit", "replay a leaf of a run through LibTorch's autograd and compare every gradient");
  builder.run_directory(audit);
  audit->add_option("--step", invocation.step, "the saved step to start from (default: the newest)");
  audit->add_option("--leaf", invocation.leaf, "which leaf of the step");
  builder.json(audit);
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) names.push_back(command->get_name());
  return names;
}

bool has_command(const CLI::App& app, std::string_view word) {
  const std::vector<std::string> names = command_names(app);
  return std::find(names.begin(), names.end(), word) != names.end();
}

std::string version_json() {
  Node version;
  version.set("version", std::string(program_version()));
  return to_json(version);
}

std::string unknown_command(const CLI::App& app, std::string_view word) {
  const std::vector<std::string> names = command_names(app);
  const std::vector<std::string_view> views(names.begin(), names.end());
  return "there is no command \"" + std::string(word) + "\"" + suggestion(word, views) + " (see lastro --help)";
}

}   // namespace

Invocation parse_command_line(int argc, char** argv) {
  Invocation invocation;
  CLI::App app(introduction, "lastro");
  app.set_version_flag("--version", asks_for_json(argc, argv) ? version_json() : "lastro " + std::string(program_version()));
  app.footer(exit_codes);
  app.require_subcommand(0, 1);
  Builder builder(app, invocation);
  add_pipeline_commands(builder, invocation);
  add_record_commands(builder, invocation);
  add_model_commands(builder, invocation);
  add_manifest_commands(builder);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& wanted) {   // --help, --version
    std::ostringstream text;
    app.exit(wanted, text, text);
    print(text.str());
    invocation.command.clear();
    return invocation;
  } catch (const CLI::ParseError& error) {
    if (argc > 1 && argv[1][0] != '-' && !has_command(app, argv[1])) throw UsageError(unknown_command(app, argv[1]));
    throw UsageError(std::string(error.what()) + " (see lastro " + (argc > 1 && argv[1][0] != '-' ? std::string(argv[1]) + " " : "") + "--help)");
  }
  if (invocation.command.empty()) print(app.help());
  builder.settle_run();
  return invocation;
}

}   // namespace lastro
