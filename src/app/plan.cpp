#include <cstdio>

#include "app/commands.h"
#include "app/planning.h"
#include "app/terminal.h"
#include "app/wiring.h"
#include "core/cost.h"
#include "core/json.h"
#include "core/reference.h"
#include "core/text_of_number.h"
#include "domain/errors.h"

namespace lastro {
namespace {

const char* words_for(DiskShare::Place place) {
  switch (place) {
    case DiskShare::Place::store: return " in the store";
    case DiskShare::Place::linked: return " in the store (a link, on one file system)";
    case DiskShare::Place::run: return " in the run directory";
    case DiskShare::Place::work: return " there until the stage ends";
  }
  return "";
}

void print_stage(const PlannedStage& stage) {
  std::printf("%-14s %-11s key %s  ", stage.name.c_str(), stage.kind.c_str(),
              stage.key_is_final ? stage.key.hex().substr(0, 12).c_str() : "(later)     ");
  if (stage.output) {
    std::printf("there: %s\n", stage.output->to_string().substr(0, 19).c_str());
    return;
  }
  std::printf("to run: %s\n", stage.why.c_str());
  if (!stage.resources.memory_per_rank.empty()) {
    std::printf("%-14s memory a rank %s:", "", bytes_text(stage.resources.memory_bytes()).c_str());
    for (const MemoryShare& share : stage.resources.memory_per_rank)
      if (share.bytes > 0) std::printf(" %s %s", share.name.c_str(), bytes_text(share.bytes).c_str());
    std::printf("\n");
  }
  if (!stage.resources.disk.empty()) {
    std::printf("%-14s disk:", "");
    for (const DiskShare& share : stage.resources.disk)
      std::printf("%s %s %s%s", &share == &stage.resources.disk.front() ? "" : ",", share.name.c_str(), bytes_text(share.bytes).c_str(),
                  words_for(share.place));
    std::printf("\n");
  }
  if (stage.device_s == 0) return;
  const std::string flops =
      stage.resources.flops > 0 ? flops_text(stage.resources.flops) + " (6ND: " + flops_text(stage.resources.flops_6nd) + "), " : "";
  std::printf("%-14s %s%s of one device, %s\n", "", flops.c_str(), duration_text(stage.device_s).c_str(), usd_text(stage.cost_usd).c_str());
}

}   // namespace

int plan_command(const Invocation& invocation) {
  const RunPlanner planner(invocation);
  const Planned planned = planner.plan();
  const Plan& plan = planned.plan;
  print_remarks(planner);
  if (const auto crowding = crowding_of(invocation, usable_cores())) print_error(*crowding);
  print_disk_shortage(planner, plan);
  if (invocation.json) {
    print_json(to_node(plan));
  } else {
    for (const PlannedStage& stage : plan.stages) print_stage(stage);
    std::printf("%s x %s, %s a rank allowed: about %s, %s\n", counted(plan.ranks, "rank").c_str(), counted(plan.threads_per_rank, "thread").c_str(),
                bytes_text(plan.memory_limit_bytes).c_str(), duration_text(plan.wall_s()).c_str(), usd_text(plan.cost_usd()).c_str());
    const DiskNeed disk = plan.disk();
    std::printf("disk: about %s of artifacts to %s, %s of checkpoints and %s of temporary files to %s\n",
                bytes_text(disk.store + disk.linked).c_str(), planner.store().root().c_str(), bytes_text(disk.run).c_str(),
                bytes_text(disk.work).c_str(), planner.run().c_str());
  }
  refuse_excesses(planned);
  return 0;
}

int schema_command() {
  print(to_json_pretty(manifest_schema(stage_kinds())));
  return 0;
}

int reference_command() {
  print(manifest_reference(stage_kinds()));
  return 0;
}

}   // namespace lastro
