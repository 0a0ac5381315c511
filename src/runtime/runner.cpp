#include "runtime/runner.h"

#include <cerrno>
#include <chrono>
#include <fstream>

#include "core/files.h"
#include "core/json.h"
#include "core/refused_file.h"
#include "domain/errors.h"

namespace lastro {
namespace fs = std::filesystem;
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

fs::path nonce_file(const fs::path& run) { return run / "nonce"; }

// A word that no earlier run wrote there: who reads it back sees this folder, not an old copy.
std::string write_nonce(const fs::path& run) {
  std::string random(16, '\0');
  const char* const device = "/dev/urandom";
  if (!std::ifstream(device, std::ios::binary).read(random.data(), static_cast<std::streamsize>(random.size())))
    refuse_file(device, "cannot be read", "read", errno);
  std::string nonce;
  for (const unsigned char byte : random) nonce += "0123456789abcdef"[byte & 15];
  write_file(nonce_file(run), nonce);
  return nonce;
}

// Rank 0's word for all: is there another stage? Any rank's word: was it asked to stop?
bool another_stage(Collective& ranks, bool root_has_one, bool stop) {
  std::int64_t words[2] = {ranks.is_root() && root_has_one, stop};
  ranks.all_max(words);
  if (words[0] != 0 && words[1] != 0) throw Preempted("stopped between two stages, as asked; run the same command to go on");
  return words[0] != 0;
}

void expect_output(const NextStage& next, const MadeArtifact& made) {
  if (!next.expected || *next.expected == made.record.digest) return;
  throw ContractError(next.order.stage + " came out as " + made.record.digest.to_string() + ", expected " + next.expected->to_string() + " by " +
                          next.expected_by + " (its inputs, settings or this program's rules are not those of the run that gave the hash)",
                      next.order.stage, next.expected->to_string(), made.record.digest.to_string());
}

// Rank 0 prepares the folders; the others are told of them.
void prepare(NextStage& next, StageMachine& machine, const fs::path& run) {
  next.order.output = machine.store.begin(next.order.key);
  next.order.work = run / "work" / next.order.stage;
  make_folders(next.order.work);
}

void commit(const NextStage& next, const MadeArtifact& made, double wall_clock_s, double cost_usd, StageMachine& machine, RunRecord& record) {
  machine.store.commit(made.record, {.key = next.order.key,
                                     .artifact = made.record.digest,
                                     .recipe = next.recipe,
                                     .measured = made.measured,
                                     .wall_clock_s = wall_clock_s,
                                     .cost_usd = cost_usd});
  record.stage_done({.stage = next.order.stage,
                     .key = next.order.key,
                     .inputs = next.inputs,
                     .output = made.record.digest,
                     .summary = made.record.summary,
                     .measured = made.measured,
                     .wall_clock_s = wall_clock_s,
                     .cost_usd = cost_usd});
  std::error_code ignored;
  fs::remove_all(next.order.work, ignored);
}

void check_budget(const RunRecord& record, const Orchestra& orchestra) {
  if (!orchestra.budget_usd) return;
  const double spent = record.total_cost_usd();
  if (spent > *orchestra.budget_usd)
    throw BudgetError("the run has cost " + to_json(Node(spent)) + " dollars (budget.cost_usd is " + to_json(Node(*orchestra.budget_usd)) +
                      ") raise the budget to go on; what was made is kept");
}

void lead_stage(NextStage next, StageMachine& machine, const fs::path& run, StageView& view, const Orchestra& orchestra) {
  prepare(next, machine, run);
  RunRecord record = *RunRecord::load(run);
  record.stage_begins(next.order.stage, next.dependants);
  const auto begin = Clock::now();
  const double earlier_s = record.seconds_spent(next.order.stage);
  MadeArtifact made;
  try {
    made = carry_out(machine, next.order, write_nonce(run), [&](const StageOrder& order) -> Tracker& { return view.begins(order); });
    expect_output(next, made);
  } catch (const Preempted&) {
    record.stage_interrupted(next.order.stage, earlier_s + seconds_since(begin));
    throw;
  }
  const double wall_clock_s = earlier_s + seconds_since(begin);
  commit(next, made, wall_clock_s, wall_clock_s * orchestra.usd_per_second, machine, record);
  view.made(next.order, made, wall_clock_s);
  check_budget(record, orchestra);
}

}   // namespace

void run_stages(StageMachine& machine, const fs::path& run, StageView& view, const Orchestra* orchestra) {
  machine.witness.read_nonce = [&run] { return read_file(nonce_file(run)); };
  for (;;) {
    std::optional<NextStage> next;
    if (orchestra) next = orchestra->next_stage();
    if (!another_stage(machine.ranks, next.has_value(), machine.stop_requested())) return;
    if (orchestra)
      lead_stage(std::move(*next), machine, run, view, *orchestra);
    else
      carry_out(machine, {}, "", [&](const StageOrder& order) -> Tracker& { return view.begins(order); });
  }
}

void enter_failure(const fs::path& run, const std::string& cause) {
  auto record = RunRecord::load(run);
  if (!record) return;
  if (const auto stage = record->running_stage()) record->stage_failed(*stage, cause);
}

}   // namespace lastro
