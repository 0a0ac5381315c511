#include <chrono>
#include <cstdio>
#include <optional>
#include <set>

#include "app/commands.h"
#include "app/terminal.h"
#include "core/text_of_number.h"
#include "domain/errors.h"
#include "infra/posix/folder_store.h"
#include "infra/posix/lease.h"
#include "runtime/run_record.h"

namespace lastro {
namespace fs = std::filesystem;
namespace {

// What a record names: the outputs of its stages, and the report that is its baseline.
void add_named(std::set<Digest>& named, const Node& record) {
  const auto add = [&](const Node* value) {
    const auto digest = value && value->as<std::string>() ? Digest::parse(value->text()) : std::nullopt;
    if (digest) named.insert(*digest);
  };
  const Node* stages = record.find("stages");
  for (const Entry& stage : stages ? stages->entries() : Node::Mapping{}) add(stage.value.find("output_hash"));
  add(record.find("baseline"));
}

// The runs that may name artifacts of a store: those that the store remembers, wherever they are, and those beside it.
std::set<fs::path> runs_of(const FolderStore& store, const fs::path& beside) {
  std::set<fs::path> runs;
  for (const auto& entry : fs::directory_iterator(beside))
    if (entry.is_directory()) runs.insert(entry.path());
  for (const fs::path& run : store.known_runs())
    if (fs::is_directory(run)) runs.insert(run);
  return runs;
}

// Everything that these runs name: their records and the kept earlier ones. A damaged record stops the sweep: what it names is unknown.
std::set<Digest> named_by_runs(const std::set<fs::path>& runs) {
  std::set<Digest> named;
  for (const fs::path& run : runs) {
    if (const auto record = RunRecord::load(run)) add_named(named, record->tree());
    for (const Node& earlier : RunRecord::history(run)) add_named(named, earlier);
  }
  return named;
}

std::uint64_t bytes_below(const fs::path& folder) {
  std::uint64_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) bytes += entry.file_size();
  return bytes;
}

// No run may take from the store what is being swept: the sweep waits for all, and new ones wait for it.
void take_alone(std::optional<Lease>& lease, const FolderStore& store) {
  try {
    lease.emplace(store.root(), std::chrono::seconds(10));
  } catch (const EnvironmentError&) {
    for (const fs::path& run : store.known_runs())
      if (const auto holder = Lease::holder(run))
        throw EnvironmentError(store.root().string() + " is in use by " + *holder + " for the run in " + run.string() +
                               " (a sweep could take what it is about to read) wait for it, or stop it");
    throw;
  }
}

}   // namespace

int gc_command(const Invocation& invocation) {
  const FolderStore store(invocation.store.empty() ? fs::path("runs/store") : invocation.store);
  if (!fs::is_directory(store.root() / "objects") || !fs::is_directory(store.root() / "keys"))
    throw UsageError(store.root().string() + " is no store (it has no objects and no keys, so there is nothing to sweep) name one with --store");
  std::optional<Lease> lease;
  if (invocation.yes) take_alone(lease, store);
  const fs::path runs = fs::absolute(store.root()).lexically_normal().parent_path();
  const std::set<Digest> named = named_by_runs(runs_of(store, runs));

  if (invocation.yes) store.sweep_staging();
  std::uint64_t bytes = 0;
  Node swept = Node::sequence();
  for (const Digest& digest : store.artifacts()) {
    if (named.contains(digest)) continue;
    bytes += bytes_below(store.folder_of(digest));
    swept.push(digest.to_string());
    if (invocation.yes) store.sweep(digest);
  }
  if (invocation.json) {
    Node line;
    line.set("swept", invocation.yes);
    line.set("artifacts", swept);
    line.set("bytes", static_cast<std::int64_t>(bytes));
    print_json(line);
  } else {
    for (const Node& digest : swept.items()) std::printf("%s\n", digest.text().c_str());
    std::printf("%s, %.1f MB, that no run in %s names%s\n", counted(swept.items().size(), "artifact").c_str(), static_cast<double>(bytes) / 1e6,
                runs.c_str(),
                swept.items().empty() ? ""
                : invocation.yes      ? ": swept"
                                      : ": would go with --yes");
  }
  return 0;
}

}   // namespace lastro
