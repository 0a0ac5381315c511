#include <malloc.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "app/commands.h"
#include "app/conclude.h"
#include "app/planning.h"
#include "app/terminal.h"
#include "app/wiring.h"
#include "core/crash_points.h"
#include "core/hash.h"
#include "domain/errors.h"
#include "domain/version.h"
#include "infra/hdf5/hdf5_shard_format.h"
#include "infra/mpi/mpi_session.h"
#include "infra/posix/lease.h"
#include "infra/posix/process.h"
#include "infra/self/self_collective.h"
#include "kernels/denormals.h"
#include "kernels/path.h"
#include "runtime/checkpointer.h"

namespace lastro {
namespace {

constexpr auto lease_patience = std::chrono::seconds(10);

// How this rank talks to the others.
struct Links {
  Collective& ranks;
  std::function<std::unique_ptr<Collective>()> background;   // another one, for a thread in the background; called on every rank together
};

// Shows stages on rank 0's terminal; the other ranks keep silent.
class RankView final : public StageView {
 public:
  RankView(Collective& ranks, int threads, std::filesystem::path run) : ranks_(ranks), threads_(threads), run_(std::move(run)) {}

  Tracker& begins(const StageOrder& order) override {
    ::malloc_trim(0);   // what the stage before has freed goes back: the plan counts each stage alone
    if (!ranks_.is_root()) return silent_;
    shown_.emplace(order.stage, terminal_in_force(), run_);
    return *shown_;
  }

  void made(const StageOrder&, const MadeArtifact& artifact, double) override {
    shown_->finish(artifact.record.digest.to_string().substr(0, 19));
    shown_.reset();
    if (const Node* peak = artifact.measured.find("peak_tflops")) remember_peak_tflops(peak->number(), ranks_.size() * threads_);
  }

 private:
  Collective& ranks_;
  int threads_;
  std::filesystem::path run_;
  SilentTracker silent_;
  std::optional<StageTracker> shown_;
};

std::unique_ptr<Checkpoints> open_checkpoints(const StageOrder& order, Tracker& tracker, const std::filesystem::path& run, const Links& links) {
  static const Hdf5ShardFormat format;
  const Node* settings = order.settings.find("checkpoint");
  const Node* keep = settings ? settings->find("keep") : nullptr;
  return std::make_unique<Checkpointer>(
      Checkpointer::Settings{.folder = run / "checkpoints", .stage_key = order.key, .keep = keep ? static_cast<int>(keep->integer()) : 3}, format,
      links.ranks, links.background(), tracker);
}

// What the run was last made on; no result depends on it.
Node machine_facts(int ranks, int threads) {
  Node facts;
  facts.set("program", program_version());
  facts.set("ranks", ranks);
  facts.set("threads_per_rank", threads);
  facts.set("instructions", kernels::name_of(kernels::cpu_path()));
  return facts;
}

// The run directory, which rank 0 knows from the manifest.
std::filesystem::path agree_on_run(Collective& ranks, const RunPlanner* planner) {
  return broadcast_text(ranks, planner ? std::filesystem::absolute(planner->run()).string() : std::string());
}

// Rank 0's alone: the plan, and its hold on the run directory and the store.
struct Orchestrator {
  explicit Orchestrator(const Invocation& invocation) : planner(invocation) {}
  RunPlanner planner;
  std::optional<Lease> run_lease, store_lease;
};

// `run` is set when the run directory is ours: a refusal before that is no failure of the run that lives there.
void begin_run(Orchestrator& root, std::filesystem::path& run, const Invocation& invocation) {
  if (!std::getenv("LASTRO_FRONT")) {   // a front has said so already
    print_remarks(root.planner);
    print_disk_shortage(root.planner, root.planner.plan().plan);
  }
  root.run_lease.emplace(root.planner.run(), lease_patience);
  run = root.planner.run();
  root.store_lease.emplace(root.planner.store().root(), lease_patience, Lease::Kind::shared);   // a sweep waits until we have ended
  RunRecord record = RunRecord::begin(run, root.planner.resolved_manifest());
  record.note("machine", machine_facts(invocation.ranks, threads_of(invocation)));
  root.planner.enter_places(record);
  root.planner.enter_known(record);
}

// Every rank's answer to: what did the run come to?
int conclude_together(const Links& links, Orchestrator* root, const FolderStore& store, const Invocation& invocation) {
  std::int64_t code[1] = {0};
  if (root && !std::getenv("LASTRO_FRONT")) {   // where there is a front, it concludes
    RunRecord record = *RunRecord::load(root->planner.run());
    root->planner.enter_known(record);
    code[0] = conclude(root->planner.run(), store, invocation);
  }
  links.ranks.all_max(code);
  return static_cast<int>(code[0]);
}

int run_rank(const Links& links, const Invocation& told, std::filesystem::path& run) {
  std::optional<StdoutAside> aside;
  if (told.json) aside.emplace();
  name_crash_rank(links.ranks.rank().value);
  if (links.ranks.is_root() && std::getenv("LASTRO_FRONT")) std::fprintf(stderr, "%s\n", ranks_have_begun.data());
  Invocation invocation = told;
  invocation.ranks = links.ranks.size();
  if (invocation.threads == 0) invocation.threads = threads_beside(links.ranks);
  std::optional<Orchestrator> root;
  if (links.ranks.is_root()) begin_run(root.emplace(invocation), run, invocation);
  RunPlanner* const planner = root ? &root->planner : nullptr;
  run = agree_on_run(links.ranks, planner);
  FolderStore store(broadcast_text(links.ranks, planner ? std::filesystem::absolute(planner->store().root()).string() : std::string()), run);

  const int threads = threads_of(invocation);
  const std::unique_ptr<Workers> workers = make_workers(threads);
  StageMachine machine{.ranks = links.ranks,
                       .workers = *workers,
                       .store = store,
                       .registry = stage_kinds(),
                       .witness = {.files_in = {},
                                   .hash_plan = [](std::string_view plan) { return sha256(plan); },
                                   .hash_binary = [] { return sha256_file("/proc/self/exe"); },
                                   .read_nonce = {},
                                   .hash_file = [](const std::string& path) { return sha256_file(path); }},
                       .open_checkpoints = [&](const StageOrder& order, Tracker& tracker) { return open_checkpoints(order, tracker, run, links); },
                       .stop_requested = stop_was_requested};
  RankView view(links.ranks, threads, run);
  if (planner) {
    const Orchestra orchestra{.next_stage = [&] { return planner->next_stage(); },
                              .usd_per_second = planner->manifest().rates.usd_per_device_hour / 3600 * links.ranks.size(),
                              .budget_usd = planner->manifest().budget.cost_usd};
    run_stages(machine, run, view, &orchestra);
  } else {
    run_stages(machine, run, view, nullptr);
  }
  aside.reset();
  return conclude_together(links, root ? &*root : nullptr, store, invocation);
}

// An error of one rank ends all. Rank 0 speaks first: mostly every rank has the same to say.
[[noreturn]] void end_job(const Links& links, const std::filesystem::path& run, const std::exception& error, ExitCode code,
                          const std::function<void(int)>& abort) {
  if (!links.ranks.is_root()) std::this_thread::sleep_for(std::chrono::milliseconds(700));
  const std::string who = links.ranks.size() > 1 ? "rank " + std::to_string(links.ranks.rank().value) + ": " : "";
  print_error(who + error.what());
  try {
    if (!run.empty()) enter_failure(run, who + error.what());
  } catch (const Error& second) {
    print_error("the record could not be written either: " + std::string(second.what()));
  }
  std::fflush(nullptr);
  abort(static_cast<int>(code));
  std::_Exit(static_cast<int>(code));
}

int guarded(const Links& links, const Invocation& invocation, const std::function<void(int)>& abort) {
  std::filesystem::path run;
  try {
    return run_rank(links, invocation, run);
  } catch (const Preempted& stop) {   // every rank throws it in the same step
    if (links.ranks.is_root()) print_error("preempted: " + std::string(stop.what()));
    return static_cast<int>(ExitCode::preempted);
  } catch (const Error& error) {
    end_job(links, run, error, error.code(), abort);
  } catch (const std::system_error& error) {   // filesystem_error is one
    end_job(links, run, EnvironmentError(words_for(error)), ExitCode::environment, abort);
  } catch (const std::bad_alloc& error) {
    end_job(links, run, BudgetError("no memory is left (the machine or a limit refuses more) lower the plan's memory or use more ranks"),
            ExitCode::budget, abort);
  } catch (const std::exception& error) {
    end_job(links, run, error, ExitCode::internal, abort);
  }
}

int front_process() {
  const char* front = std::getenv("LASTRO_FRONT");
  return front ? std::atoi(front) : 0;
}

}   // namespace

int run_as_rank(const Invocation& invocation, int argc, char** argv) {
  turn_signals_into_stop_requests();
  die_with_parent(front_process());
  kernels::flush_denormals();
  arm_from_environment();
  if (!std::getenv("OMPI_COMM_WORLD_RANK") && !std::getenv("PMIX_RANK")) {
    SelfCollective alone;
    return guarded({alone, [] { return std::make_unique<SelfCollective>(); }}, invocation, [](int) {});
  }
  MpiSession session(argc, argv);
  const std::unique_ptr<Collective> ranks = session.ranks();
  return guarded({*ranks, [&session] { return session.background_ranks(); }}, invocation, [&session](int code) { session.abort(code); });
}

}   // namespace lastro
