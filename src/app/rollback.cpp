#include <cstdio>

#include "app/commands.h"
#include "app/planning.h"
#include "app/run_access.h"
#include "app/terminal.h"
#include "core/cost.h"
#include "core/files.h"
#include "core/rollback.h"
#include "domain/errors.h"
#include "infra/posix/lease.h"

namespace lastro {
namespace fs = std::filesystem;
namespace {

// Training state would let the next run go on from where this one ended instead of beginning anew.
void set_checkpoints_aside(const fs::path& run) {
  if (!fs::exists(run / "checkpoints")) return;
  make_folders(run / "history");
  int number = 1;
  const auto name = [&] { return run / "history" / ("checkpoints-" + std::to_string(number)); };
  while (fs::exists(name())) ++number;
  fs::rename(run / "checkpoints", name());
}

void roll_back(RunPlanner& planner, const Plan& plan, const Rollback& rollback) {
  const Lease lease(planner.run(), std::chrono::seconds(10));
  RunRecord record = *RunRecord::load(planner.run());
  for (const std::size_t index : rollback.stages) {
    const PlannedStage& stage = plan.stages[index];
    if (stage.output_type == ArtifactType::checkpoint) set_checkpoints_aside(planner.run());
    if (stage.key_is_final) planner.store().forget(stage.key);
    record.stage_rolled_back(stage.name);
  }
}

Node json_of(const Plan& plan, const Rollback& rollback, bool is_done) {
  Node names = Node::sequence(), memory = Node::mapping(), line;
  for (const std::size_t index : rollback.stages) names.push(plan.stages[index].name);
  for (const MemoryShare& share : rollback.memory_per_rank) memory.set(share.name, share.bytes);
  line.set("stages", std::move(names));
  line.set("device_s", rollback.device_s);
  line.set("cost_usd", rollback.cost_usd);
  line.set("flops", rollback.flops);
  line.set("memory_per_rank", std::move(memory));
  line.set("done", is_done);
  return line;
}

void print(const Plan& plan, const Rollback& rollback, bool is_done) {
  for (const std::size_t index : rollback.stages) std::printf("%s\n", plan.stages[index].name.c_str());
  std::printf("making them again takes about %s of one device, %s", duration_text(rollback.device_s).c_str(), usd_text(rollback.cost_usd).c_str());
  for (const MemoryShare& share : rollback.memory_per_rank)
    if (share.bytes > 0) std::printf(", %s %s", share.name.c_str(), bytes_text(share.bytes).c_str());
  std::printf("%s\n", is_done ? "\nrolled back: the next run makes them again; their artifacts stay in the store" : "\nnothing was changed");
}

}   // namespace

int rollback_command(const Invocation& invocation) {
  // A record is a manifest; planning it tells what builds on what.
  const OpenedRun opened = open_run(invocation);
  Invocation of_record = invocation;
  of_record.run = opened.folder;
  of_record.subject = record_file(opened.folder);
  of_record.store = opened.store.root();
  RunPlanner planner(of_record);
  planner.pass_over_damage();   // a roll-back is what mends it
  const Plan plan = planner.plan().plan;
  const Rollback rollback = rollback_of(plan, invocation.stage);

  if (!invocation.dry_run) roll_back(planner, plan, rollback);
  if (invocation.json)
    print_json(json_of(plan, rollback, !invocation.dry_run));
  else
    print(plan, rollback, !invocation.dry_run);
  return 0;
}

}   // namespace lastro
