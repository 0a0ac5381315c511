#include <cstdio>

#include "app/commands.h"
#include "app/terminal.h"
#include "core/diff.h"
#include "domain/errors.h"
#include "runtime/run_record.h"

namespace lastro {
namespace {

Node record_at(std::filesystem::path path) {
  if (std::filesystem::is_directory(path)) path = record_file(path);
  if (!std::filesystem::exists(path))
    throw UsageError(path.string() + " does not exist (diff compares two run directories, or two manifest.out.yaml)");
  return RunRecord::read(path);
}

}   // namespace

int diff_command(const Invocation& invocation) {
  const auto differences = record_differences(record_at(invocation.subject), record_at(invocation.other));
  Node list = Node::sequence();
  for (const Difference& difference : differences) {
    list.push(difference.to_string());
    if (!invocation.json) std::printf("%s\n", difference.to_string().c_str());
  }
  if (invocation.json) {
    Node line;
    line.set("differences", std::move(list));
    print_json(line);
  } else if (differences.empty()) {
    std::printf("no difference outside time and cost\n");
  }
  return static_cast<int>(differences.empty() ? ExitCode::ok : ExitCode::contract);
}

}   // namespace lastro
