#include <gmock/gmock.h>

#include "core/checkpoint_reader.h"
#include "infra/hdf5/hdf5_shard_format.h"
#include "runtime/checkpointer.h"
#include "support/checkpoint_state.h"
#include "support/mpi_main.h"
#include "support/temporary_folder.h"

namespace lastro {
namespace {

// Saves while the ranks go on talking over their own communicator, as training does.
TEST(CheckpointerOverMpi, SavesBehindRanksThatGoOnTalking) {
  const auto ranks = session_of_test().ranks();
  std::optional<TemporaryFolder> made;
  if (ranks->is_root()) made.emplace();
  const std::filesystem::path folder = broadcast_text(*ranks, ranks->is_root() ? made->path().string() : "");
  const Hdf5ShardFormat format;
  KeepingTracker tracker;
  RankState state(small_layout(), *ranks);
  Node scalars = Node::mapping();
  {
    Checkpointer checkpoints({folder / "checkpoints", Digest{}, 2}, format, *ranks, session_of_test().background_ranks(), tracker);
    for (std::int64_t step = 1; step <= 3; ++step) {
      state.set(step);
      scalars.set("step", step);
      checkpoints.save(Step{step}, scalars, state.view());
      for (int i = 0; i < 50; ++i) {
        std::int64_t one[1] = {1};
        ranks->all_sum(one);
        ASSERT_EQ(one[0], ranks->size());
      }
    }
    EXPECT_EQ(checkpoints.finish(), Step{3});
  }
  EXPECT_EQ(tracker.events(), "");

  state.set(0);
  Checkpointer checkpoints({folder / "checkpoints", Digest{}, 2}, format, *ranks, session_of_test().background_ranks(), tracker);
  EXPECT_EQ(checkpoints.load_newest(state.view()), scalars);
  EXPECT_TRUE(state.holds(3));
  EXPECT_THAT(verify_checkpoint(folder / "checkpoints/step-000003"), testing::IsEmpty());
  ranks->barrier();
}

}   // namespace
}   // namespace lastro
