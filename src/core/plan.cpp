#include "core/plan.h"

#include <algorithm>

namespace lastro {
namespace {

Node stage_node(const PlannedStage& stage, const Plan& plan) {
  Node memory = Node::mapping(), disk = Node::mapping(), inputs = Node::mapping();
  for (const MemoryShare& share : stage.resources.memory_per_rank) memory.set(share.name, share.bytes);
  for (const DiskShare& share : stage.resources.disk) disk.set(share.name, share.bytes);
  for (const PlannedInput& input : stage.inputs) {
    Node names = Node::sequence();
    for (const Source& source : input.sources) names.push(source.name);
    inputs.set(input.port, input.stage ? Node(plan.stages[*input.stage].name) : std::move(names));
  }
  Node node = Node::mapping();
  node.set("name", stage.name);
  node.set("kind", stage.kind);
  node.set("inputs", std::move(inputs));
  node.set("makes", name_of(stage.output_type));
  node.set("settings", stage.settings);
  node.set("key", stage.key.to_string());
  node.set("key_is_final", stage.key_is_final);
  node.set("output_hash", stage.output ? Node(stage.output->to_string()) : Node());
  node.set("why", stage.why);
  node.set("memory_per_rank_bytes", std::move(memory));
  node.set("disk_bytes", std::move(disk));
  node.set("flops_6nd", stage.resources.flops_6nd);
  node.set("flops", stage.resources.flops);
  node.set("device_hours", stage.device_s / 3600);
  node.set("cost_usd", stage.cost_usd);
  return node;
}

}   // namespace

double Plan::device_s() const {
  double sum = 0;
  for (const PlannedStage& stage : stages)
    if (!stage.output) sum += stage.device_s;
  return sum;
}

double Plan::cost_usd() const {
  double sum = 0;
  for (const PlannedStage& stage : stages)
    if (!stage.output) sum += stage.cost_usd;
  return sum;
}

DiskNeed Plan::disk() const {
  DiskNeed need;
  for (const PlannedStage& stage : stages) {
    if (stage.output) continue;
    std::int64_t work = 0;
    for (const DiskShare& share : stage.resources.disk) switch (share.place) {
        case DiskShare::Place::store: need.store += share.bytes; break;
        case DiskShare::Place::linked: need.linked += share.bytes; break;
        case DiskShare::Place::run: need.run += share.bytes; break;
        case DiskShare::Place::work: work += share.bytes; break;
      }
    need.work = std::max(need.work, work);
  }
  return need;
}

Node to_node(const Plan& plan) {
  Node stages = Node::sequence();
  for (const PlannedStage& stage : plan.stages) stages.push(stage_node(stage, plan));
  Node node = Node::mapping();
  node.set("name", plan.name);
  node.set("seed", static_cast<std::int64_t>(plan.seed));
  node.set("numerics", plan.numerics);
  node.set("ranks", plan.ranks);
  node.set("threads_per_rank", plan.threads_per_rank);
  node.set("peak_flops_per_device", plan.peak_flops);
  node.set("memory_limit_bytes", plan.memory_limit_bytes);
  node.set("stages", std::move(stages));
  Node left = Node::mapping();
  left.set("device_hours", plan.device_s() / 3600);
  left.set("hours", plan.wall_s() / 3600);
  left.set("cost_usd", plan.cost_usd());
  node.set("left_to_run", std::move(left));
  return node;
}

}   // namespace lastro
