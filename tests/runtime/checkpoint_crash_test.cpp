#include <gmock/gmock.h>

#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

#include "core/checkpoint_reader.h"
#include "core/crash_points.h"
#include "domain/errors.h"
#include "runtime/checkpoint_run.h"

namespace lastro {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

// A run that needs every call of the protocol: at 2 ranks and keep 2, with another stage's checkpoint in the way, rotation, and an artifact.
// It goes on from what it finds, as the same command would.
std::int64_t run_to_the_end(const std::filesystem::path& folder) {
  const TestRun run{folder / "checkpoints", 2, 2};
  std::int64_t begun_at = 0;
  run_ranks(run, [&](TestRank& rank) {
    const auto scalars = rank.load();
    const std::int64_t from = scalars ? scalars->at("step").integer() : 0;
    if (scalars && !rank.state.holds(from)) throw std::runtime_error("what was loaded is not what was saved");
    for (std::int64_t step = from + 1; step <= 4; ++step) rank.save(step);
    if (rank.checkpoints.finish() != Step{4}) throw std::runtime_error("the last step is not verified");
    if (rank.ranks.is_root()) {
      begun_at = from;
      std::filesystem::remove_all(folder / "artifact");
      std::filesystem::create_directories(folder / "artifact");
    }
    rank.ranks.barrier();
    rank.checkpoints.publish(Step{4}, folder / "artifact");
  });
  return begun_at;
}

void put_another_stages_checkpoint_in_the_way(const std::filesystem::path& folder) {
  save_steps({folder / "checkpoints", 1, 2, sha256("another stage")}, {3});
}

// The exit code of a process of its own.
template <class Body>
int run_in_child(Body body) {
  const pid_t child = ::fork();
  if (child == 0) {
    int code = 1;
    try {
      body();
      code = 0;
    } catch (...) {}
    std::_Exit(code);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

Digest calm_digest() {
  const MemoryFolder folder;
  put_another_stages_checkpoint_in_the_way(folder.path());
  run_to_the_end(folder.path());
  return CheckpointReader(folder / "artifact").content();
}

std::vector<std::string> all_points() {
  std::vector<std::string> points;
  for (const SaveCall& one : save_calls())
    for (const char* side : {":before", ":after"}) points.push_back(std::string(one.subject) + "." + std::string(one.call) + side);
  return points;
}

// Kills the run at the nth passing of a point and lets the same command go on. False when the run never came by.
bool crash_and_go_on(const std::string& point, std::optional<int> rank, int nth, const Digest& calm) {
  const MemoryFolder folder;
  put_another_stages_checkpoint_in_the_way(folder.path());
  const int exit_code = run_in_child([&] {
    arm(ArmedPoint{point, rank, nth});
    run_to_the_end(folder.path());
  });
  if (exit_code == 0) return false;
  EXPECT_EQ(exit_code, 137) << point;

  const std::int64_t loadable = load({folder / "checkpoints", 3}).step;   // at another number of ranks, and sweeping
  EXPECT_NE(loadable, -2) << point << " left a state that is not what was saved";
  run_to_the_end(folder.path());

  EXPECT_EQ(CheckpointReader(folder / "artifact").content(), calm) << point << ", passing " << nth;
  EXPECT_THAT(verify_checkpoint(folder / "artifact"), IsEmpty()) << point << ", passing " << nth;
  EXPECT_EQ(load({folder / "checkpoints", 1, 2, sha256("another stage")}).step, 3) << point << " lost another stage's checkpoint";
  return true;
}

TEST(CheckpointCrash, LeavesALoadableStateAtEveryPoint) {
  const Digest calm = calm_digest();
  std::vector<std::string> never_reached;

  for (const std::string& point : all_points())
    if (!crash_and_go_on(point, std::nullopt, 1, calm)) never_reached.push_back(point);

  EXPECT_THAT(never_reached, IsEmpty()) << "points that no test hits prove nothing";
}

TEST(CheckpointCrash, KeepsTheVerifiedCheckpointWhenALaterSaveIsKilled) {
  // Step 1 is verified before the second save comes by; the third passing on both ranks lies in the second save at the earliest.
  for (const char* point : {"shard.rename:before", "shard.rename:after", "index.rename:before", "marker.rename:before", "old.remove:after"}) {
    const MemoryFolder folder;
    const bool by_one_rank = std::string(point).starts_with("index") || std::string(point).starts_with("marker");
    run_in_child([&] {
      arm(ArmedPoint{point, std::nullopt, by_one_rank ? 2 : 3});
      run_to_the_end(folder.path());
    });

    EXPECT_GE(load({folder / "checkpoints", 1}).step, 1) << point;
  }
}

TEST(CheckpointCrash, StrikesOneRankAlone) {
  const Digest calm = calm_digest();

  EXPECT_TRUE(crash_and_go_on("shard.rename:after", 1, 2, calm));
  EXPECT_FALSE(crash_and_go_on("index.rename:after", 1, 1, calm)) << "only rank 0 writes the index";
}

// A crash of the process does not show a missing fsync, one of the machine would: so the order of the calls is held as well.
TEST(CheckpointCrash, MakesEachStepDurableBeforeTheNext) {
  const MemoryFolder folder;
  record_calls(true);
  save_steps({folder / "checkpoints", 1, 1}, {1, 2});
  record_calls(false);

  const std::string shard = "shard.layout shard.open shard.reserve SHARD_WRITES shard.sync shard.close shard.rename shard.folder";
  const std::string index = "index.open index.write index.sync index.close index.rename index.folder";
  const std::string marker = "marker.open marker.write marker.sync marker.close marker.rename marker.folder";
  std::string calls = recorded_calls();
  for (const char* repeated : {"shard.write ", "shard.read "}) {
    for (std::size_t at; (at = calls.find(std::string(repeated) + repeated)) != std::string::npos;) calls.erase(at, std::string(repeated).size());
  }
  for (std::size_t at; (at = calls.find("shard.write shard.read")) != std::string::npos;) calls.replace(at, 22, "SHARD_WRITES");
  EXPECT_EQ(calls, "folder.make folder.sync folder.make folder.sync " + shard + " " + index + " " + marker + " folder.make folder.sync " + shard +
                       " " + index + " " + marker + " old.remove old.folder old.remove old.remove old.remove old.folder")
      << "the older checkpoint goes index first, after the newer one's marker";
}

TEST(CheckpointCrash, IsAskedForByTheEnvironmentsText) {
  EXPECT_EQ(parse_crash("shard.rename").point, "shard.rename:before");
  const ArmedPoint full = parse_crash("index.sync:after:2:5");
  EXPECT_EQ(full.point, "index.sync:after");
  EXPECT_EQ(full.rank, 2);
  EXPECT_EQ(full.nth, 5);
  for (const char* wrong :
       {"", "shard", "shard.fly", "shard.rename:later", "shard.rename:after:x", "shard.rename:after:1:y", "shard.rename:after:1:1:1"})
    EXPECT_THROW(parse_crash(wrong), UsageError) << wrong;
}

TEST(CheckpointCrash, KnowsNoCallThatIsNotListed) { EXPECT_THROW(AroundCall("shard", "teleport"), InternalError); }

// Every call may fail as well: then the save is an event, training goes on, and the next save is good.
TEST(CheckpointFailure, OfAnyCallIsAnEventAndNothingIsLost) {
  for (const SaveCall& one : save_calls()) {
    if (one.subject == "artifact" || (one.subject == "folder" && one.call == "move")) continue;   // not part of these saves
    const MemoryFolder folder;
    const TestRun run{folder / "checkpoints", 2, 1};
    save_steps(run, {1});
    const std::string point = std::string(one.subject) + "." + std::string(one.call) + ":before";
    arm(ArmedPoint{point, std::nullopt, 1, EIO});

    const std::string events = save_steps(run, {2});
    arm(std::nullopt);

    EXPECT_THAT(events, HasSubstr("Input/output error")) << point;
    EXPECT_GE(load(run).step, 1) << point;
    EXPECT_EQ(save_steps(run, {3}), "") << point;
    EXPECT_EQ(load(run).step, 3) << point;
  }
}

TEST(CheckpointFailure, OfAFullDiskIsTriedAgain) {
  const MemoryFolder folder;
  const TestRun run{folder / "checkpoints", 2, 1};
  arm(ArmedPoint{"shard.reserve:before", 1, 1, ENOSPC});

  const std::string events = save_steps(run, {1});
  arm(std::nullopt);

  EXPECT_EQ(events, "");
  EXPECT_EQ(load(run).step, 1);
}

}   // namespace
}   // namespace lastro
