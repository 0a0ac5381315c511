#include <cstdio>

#include "app/commands.h"
#include "app/run_access.h"
#include "app/terminal.h"
#include "app/verification.h"
#include "core/cost.h"
#include "domain/errors.h"
#include "infra/posix/lease.h"

namespace lastro {
namespace {

std::string text_at(const Node& stage, std::string_view key, std::string_view otherwise = "") {
  const Node* value = stage.find(key);
  return value && value->as<std::string>() ? value->text() : std::string(otherwise);
}

double number_at(const Node& stage, std::string_view key) {
  const Node* value = stage.find(key);
  return value && value->is_number() ? value->number() : 0;
}

// As the record has it; but a stage whose process is gone is not at work, whatever that process has written last.
std::string status_of(const Node& stage, bool is_held) {
  const std::string status = text_at(stage, "status", "waiting");
  return status == "running" && !is_held ? "interrupted" : status;
}

}   // namespace

int status_command(const Invocation& invocation) {
  const OpenedRun run = open_run(invocation);
  const Node& tree = run.record.tree();
  const Node* stages = tree.find("stages");
  const bool is_held = Lease::holder(run.folder).has_value();
  const std::vector<Finding> damages = glance_at_run(run, is_held);
  const ExitCode code = damages.empty() ? ExitCode::ok : ExitCode::contract;
  if (invocation.json) {
    Node line;
    line.set("run", run.folder.string());
    Node list = Node::mapping();
    for (const Entry& stage : stages ? stages->entries() : Node::Mapping{}) {
      Node entry = Node::mapping();
      entry.set("status", status_of(stage.value, is_held));
      for (const char* key : {"output_hash", "wall_clock_sec", "cost_usd", "metrics", "cause"})
        if (const Node* value = stage.value.find(key)) entry.set(key, *value);
      list.set(stage.key, std::move(entry));
    }
    line.set("stages", std::move(list));
    if (const Node* verdict = tree.find("verdict")) line.set("verdict", *verdict);
    line.set("damages", to_node(damages));
    print_json(line);
    return static_cast<int>(code);
  }
  for (const Entry& stage : stages ? stages->entries() : Node::Mapping{}) {
    const std::string status = status_of(stage.value, is_held);
    std::printf("%-14s %-11s", stage.key.c_str(), status.c_str());
    if (status == "done")
      std::printf(" %s  %s", text_at(stage.value, "output_hash").substr(0, 19).c_str(),
                  duration_text(number_at(stage.value, "wall_clock_sec")).c_str());
    if (status == "failed") std::printf(" %s", text_at(stage.value, "cause").c_str());
    std::printf("\n");
  }
  if (const Node* verdict = tree.find("verdict")) std::printf("%s\n", text_at(*verdict, "text").c_str());
  print(damages);
  return static_cast<int>(code);
}

}   // namespace lastro
