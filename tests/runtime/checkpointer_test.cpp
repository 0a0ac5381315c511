#include "runtime/checkpointer.h"

#include <gmock/gmock.h>

#include "core/checkpoint_reader.h"
#include "domain/errors.h"
#include "runtime/checkpoint_run.h"

namespace lastro {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Checkpointer, LoadsNothingWhereNothingIs) {
  const MemoryFolder folder;

  const Loaded loaded = load({folder / "checkpoints"});

  EXPECT_EQ(loaded.step, -1);
  EXPECT_EQ(loaded.events, "");
  EXPECT_FALSE(std::filesystem::exists(folder / "checkpoints"));
}

TEST(Checkpointer, LoadsAtAnyNumberOfRanksWhatAnyNumberSaved) {
  for (int saving = 1; saving <= 4; ++saving) {
    const MemoryFolder folder;
    EXPECT_EQ(save_steps({folder / "checkpoints", saving}, {10, 20}), "");
    for (int loading = 1; loading <= 4; ++loading) {
      const Loaded loaded = load({folder / "checkpoints", loading});
      EXPECT_EQ(loaded.step, 20) << saving << " ranks saved, " << loading << " load";
      EXPECT_EQ(loaded.events, "");
    }
  }
}

TEST(Checkpointer, GivesOneStateOneDigestWhateverRanksWroteIt) {
  std::set<Digest> contents;
  for (int ranks = 1; ranks <= 4; ++ranks) {
    const MemoryFolder folder;
    save_steps({folder / "checkpoints", ranks}, {7});
    contents.insert(CheckpointReader(folder / "checkpoints/step-000007").content());
  }

  EXPECT_EQ(contents.size(), 1u);
}

TEST(Checkpointer, WritesEqualBytesForEqualState) {
  const MemoryFolder one, other;

  save_steps({one / "checkpoints", 2}, {7});
  save_steps({other / "checkpoints", 2}, {7});

  for (const std::string& name : names_in(one / "checkpoints/step-000007"))
    EXPECT_EQ(bytes_of_file(one / ("checkpoints/step-000007/" + name)), bytes_of_file(other / ("checkpoints/step-000007/" + name))) << name;
}

TEST(Checkpointer, LeavesAFolderAStepWithShardsIndexAndMarker) {
  const MemoryFolder folder;

  save_steps({folder / "checkpoints", 2}, {120});

  EXPECT_THAT(names_in(folder / "checkpoints"), ElementsAre("step-000120"));
  EXPECT_THAT(names_in(folder / "checkpoints/step-000120"), ElementsAre("VERIFIED", "index.json", "rank-00-of-02.h5", "rank-01-of-02.h5"));
}

TEST(Checkpointer, KeepsTheNewestVerifiedOnes) {
  const MemoryFolder folder;

  save_steps({folder / "checkpoints", 2, 2}, {1, 2, 3, 4});

  EXPECT_THAT(names_in(folder / "checkpoints"), ElementsAre("step-000003", "step-000004"));
}

TEST(Checkpointer, SaysTheNewestVerifiedStepAtTheEnd) {
  const MemoryFolder folder;
  run_ranks({folder / "checkpoints", 3}, [](TestRank& rank) {
    EXPECT_EQ(rank.checkpoints.finish(), std::nullopt);
    rank.save(5);
    rank.save(6);
    EXPECT_EQ(rank.checkpoints.finish(), Step{6});
  });
}

TEST(Checkpointer, SavesWhatTheStateWasWhenAsked) {
  const MemoryFolder folder;
  run_ranks({folder / "checkpoints", 2}, [](TestRank& rank) {
    rank.save(5);
    rank.state.set(999);   // training goes on while the save is under way
  });

  EXPECT_EQ(load({folder / "checkpoints", 2}).step, 5);
}

TEST(Checkpointer, PassesOverADamagedTileAndNamesIt) {
  const MemoryFolder folder;
  save_steps({folder / "checkpoints", 2}, {1, 2});
  const std::filesystem::path shard = folder / "checkpoints/step-000002/rank-01-of-02.h5";
  const CheckpointReader reader(folder / "checkpoints/step-000002");
  std::vector<float> block(333);
  reader.read("adam_m", "block-00", block);   // tile 4 of block-00 begins at element 256; rank 1 of 2 holds tiles 3 to 5
  const std::string bytes = bytes_of_file(shard);
  const std::size_t at = bytes.find(std::string(reinterpret_cast<const char*>(&block[256]), 16));
  ASSERT_NE(at, std::string::npos);
  flip_bit(shard, at + 5);

  const Loaded loaded = load({folder / "checkpoints", 3});

  EXPECT_EQ(loaded.step, 1);
  EXPECT_THAT(loaded.events, HasSubstr("step-000002/rank-01-of-02.h5 is damaged in dataset /adam_m/block-00, tile 4 (elements 256 to 320)"));
  EXPECT_THAT(loaded.events, HasSubstr("step-000002 is passed over"));
}

TEST(Checkpointer, NeverCountsADamagedCheckpointAsOneToKeep) {
  const MemoryFolder folder;
  const TestRun run{folder / "checkpoints", 1, 1};
  save_steps({run.folder, 1, 2}, {1, 9});
  flip_bit(run.folder / "step-000009/rank-00-of-01.h5", 5000);
  ASSERT_EQ(load(run).step, 1);

  save_steps(run, {2});   // with keep = 1 the damaged newer one must not push out this one

  EXPECT_EQ(load(run).step, 2);
}

TEST(Checkpointer, LeavesNoDamagedCheckpointBehindTheOnesToKeep) {
  const MemoryFolder folder;
  const TestRun run{folder / "checkpoints", 1, 2};
  save_steps({run.folder, 1, 5}, {1, 3, 5, 6});
  for (const char* step : {"step-000003", "step-000005"}) flip_bit(run.folder / step / "rank-00-of-01.h5", 5000);
  flip_bit(run.folder / "step-000006/index.json", 200);
  std::filesystem::remove_all(run.folder / "step-000001");
  ASSERT_EQ(load(run).step, -1);

  save_steps(run, {2, 4});
  EXPECT_THAT(names_in(run.folder), ElementsAre("step-000002", "step-000004", "step-000005", "step-000006")) << "training has not come by 5 and 6";
  save_steps(run, {7});

  EXPECT_THAT(names_in(run.folder), ElementsAre("step-000004", "step-000007"));
  EXPECT_EQ(load(run).step, 7);
}

TEST(Checkpointer, WritesAnewADamagedCheckpointOfTheSameStep) {
  const MemoryFolder folder;
  const TestRun run{folder / "checkpoints", 2};
  save_steps(run, {9});
  flip_bit(run.folder / "step-000009/rank-00-of-02.h5", 5000);

  const std::string events = save_steps(run, {9});

  EXPECT_THAT(events, HasSubstr("it is written anew"));
  EXPECT_THAT(verify_checkpoint(run.folder / "step-000009"), IsEmpty());
  EXPECT_EQ(load(run).step, 9);
}

TEST(Checkpointer, LeavesAnEqualCheckpointOfTheSameStepAlone) {
  const MemoryFolder folder;
  save_steps({folder / "checkpoints", 2}, {9});
  const auto before = std::filesystem::last_write_time(folder / "checkpoints/step-000009/index.json");

  const std::string events = save_steps({folder / "checkpoints", 3}, {9});

  EXPECT_EQ(events, "");
  EXPECT_EQ(std::filesystem::last_write_time(folder / "checkpoints/step-000009/index.json"), before);
}

TEST(Checkpointer, SaysWhenASecondRunReachesAnotherStateAtTheSameStep) {
  const MemoryFolder folder;
  save_steps({folder / "checkpoints", 2}, {9});

  const std::string events = run_ranks({folder / "checkpoints", 2}, [](TestRank& rank) {
    rank.state.set(8);
    rank.checkpoints.save(Step{9}, TestRank::scalars(9), rank.state.view());
    rank.checkpoints.finish();
  });

  EXPECT_THAT(events, HasSubstr("holds another state"));
}

TEST(Checkpointer, IgnoresAnotherStagesCheckpointsAndKeepsThem) {
  const MemoryFolder folder;
  const TestRun one{folder / "checkpoints", 2, 2, sha256("one")}, other{folder / "checkpoints", 2, 2, sha256("other")};
  save_steps(one, {5});

  const Loaded loaded = load(other);
  save_steps(other, {5});

  EXPECT_EQ(loaded.step, -1);
  EXPECT_THAT(loaded.events, HasSubstr("step-000005 is of another stage or other settings"));
  EXPECT_EQ(load(other).step, 5);
  EXPECT_EQ(load(one).step, 5);
}

TEST(Checkpointer, TakesStepsBack) {
  const MemoryFolder folder;
  const TestRun run{folder / "checkpoints", 2, 3};

  run_ranks(run, [](TestRank& rank) {
    for (const std::int64_t step : {1, 2, 3}) rank.save(step);
    const auto scalars = rank.checkpoints.roll_back(Step{2}, rank.state.view());
    EXPECT_EQ(scalars, TestRank::scalars(2));
    EXPECT_TRUE(rank.state.holds(2));
  });

  EXPECT_EQ(load(run).step, 2);
}

TEST(Checkpointer, SweepsWhatAKilledRunLeft) {
  const MemoryFolder folder;
  const TestRun run{folder / "checkpoints", 2};
  save_steps(run, {1});
  std::filesystem::create_directories(run.folder / "step-000002");
  put_file(run.folder / "step-000002/rank-00-of-02.h5.tmp", "half");
  put_file(run.folder / "step-000001/index.json.tmp", "half");

  const Loaded loaded = load(run);

  EXPECT_EQ(loaded.step, 1);
  EXPECT_THAT(names_in(run.folder), ElementsAre("step-000001"));
  EXPECT_THAT(loaded.events, HasSubstr("step-000002 was never committed"));
  EXPECT_THAT(loaded.events, HasSubstr("index.json.tmp is an abandoned draft"));
}

TEST(Checkpointer, SaysThatAnIndexIsOfAnOldFormat) {
  const MemoryFolder folder;
  const TestRun run{folder / "checkpoints"};
  save_steps(run, {1});
  std::string text = bytes_of_file(run.folder / "step-000001/index.json");
  text.replace(text.find("\"version\": 1"), 12, "\"version\": 0");
  put_file(run.folder / "step-000001/index.json", text);

  const Loaded loaded = load(run);

  EXPECT_EQ(loaded.step, -1);
  EXPECT_THAT(loaded.events, HasSubstr("is of checkpoint format 0 (this program reads format 1)"));
}

TEST(Checkpointer, RemovesOldSavesWhoseIndexIsDamagedAndNoneOfAnotherFormat) {
  const MemoryFolder folder;
  const TestRun run{folder / "checkpoints"};   // two are kept
  save_steps(run, {1, 2});
  std::string text = bytes_of_file(run.folder / "step-000001/index.json");
  text.replace(text.find("\"version\": 1"), 12, "\"version\": 0");
  put_file(run.folder / "step-000001/index.json", text);
  put_file(run.folder / "step-000002/index.json", "{");

  save_steps(run, {3, 4, 5});

  EXPECT_THAT(names_in(run.folder), ElementsAre("step-000001", "step-000004", "step-000005"));
}

TEST(Checkpointer, RefusesAStateOfAnotherForm) {
  const MemoryFolder folder;
  TestRun run{folder / "checkpoints"};
  save_steps(run, {1});
  run.layout.units[1].elements = 334;

  const Loaded loaded = load(run);

  EXPECT_EQ(loaded.step, -1);
  EXPECT_THAT(loaded.events, HasSubstr("holds a state of another form"));
}

TEST(Checkpointer, RefusesScalarsThatDifferBetweenRanks) {
  const MemoryFolder folder;

  const std::string events = run_ranks({folder / "checkpoints", 2}, [](TestRank& rank) {
    rank.state.set(1);
    rank.checkpoints.save(Step{1}, TestRank::scalars(rank.ranks.rank().value), rank.state.view());
    EXPECT_EQ(rank.checkpoints.finish(), std::nullopt);
  });

  EXPECT_THAT(events, HasSubstr("rank 1 has other scalars than rank 0"));
}

TEST(Checkpointer, LeavesMeasuredScalarsOutOfTheDigest) {
  const auto content = [](double seconds) {
    const MemoryFolder folder;
    run_ranks({folder / "checkpoints"}, [&](TestRank& rank) {
      Node scalars = TestRank::scalars(1);
      scalars.set("measured", Node::mapping()).set("seconds", seconds);
      rank.state.set(1);
      rank.checkpoints.save(Step{1}, scalars, rank.state.view());
    });
    return CheckpointReader(folder / "checkpoints/step-000001").content();
  };

  EXPECT_EQ(content(1.5), content(2.5));
}

TEST(Checkpointer, PublishesAVerifiedCheckpointAsAnArtifact) {
  const MemoryFolder folder;
  std::filesystem::create_directories(folder / "artifact");
  run_ranks({folder / "checkpoints", 3}, [&](TestRank& rank) {
    rank.save(4);
    rank.checkpoints.finish();
    const Digest content = rank.checkpoints.publish(Step{4}, folder / "artifact");
    EXPECT_EQ(content, CheckpointReader(folder / "artifact").content());
    EXPECT_THROW(rank.checkpoints.publish(Step{5}, folder / "artifact"), ContractError);
  });

  EXPECT_THAT(names_in(folder / "artifact"), ElementsAre("index.json", "rank-00-of-03.h5", "rank-01-of-03.h5", "rank-02-of-03.h5"));
  EXPECT_THAT(verify_checkpoint(folder / "artifact"), IsEmpty());
}

TEST(Checkpointer, StatesItsStagingMemory) {
  const StateLayout layout = small_layout();
  std::int64_t all = 0;
  for (int rank = 0; rank < 4; ++rank) all += Checkpointer::staging_bytes(layout, Rank{rank}, 4);

  // 3 planes of 1526 floats, shared; and on each of 4 ranks twice 26 tiles' digests a plane
  EXPECT_EQ(all, 3 * 1526 * 4 + 4 * 2 * 3 * (16 + 6 + 3 + 1) * 32);
}

TEST(CheckpointReader, ReadsAnyPieceOfAUnit) {
  const MemoryFolder folder;
  save_steps({folder / "checkpoints", 3}, {4});
  const CheckpointReader reader(folder / "checkpoints/step-000004");

  EXPECT_EQ(reader.step(), Step{4});
  EXPECT_EQ(reader.layout(), small_layout());
  EXPECT_EQ(reader.scalars(), TestRank::scalars(4));
  for (const Interval piece : {Interval{0, 1000}, Interval{0, 64}, Interval{63, 65}, Interval{100, 700}, Interval{999, 1000}, Interval{5, 5}}) {
    std::vector<float> values(piece.size());
    reader.read("adam_v", "embedding", piece, values);
    for (std::int64_t i = 0; i < piece.size(); ++i) ASSERT_EQ(values[i], RankState::value(2, 0, piece.begin + i, 4)) << piece.begin + i;
  }
}

TEST(CheckpointReader, RefusesWhatIsNotThere) {
  const MemoryFolder folder;
  save_steps({folder / "checkpoints"}, {4});
  const CheckpointReader reader(folder / "checkpoints/step-000004");
  std::vector<float> values(1);

  EXPECT_THROW(reader.read("weights", "block-07", {0, 1}, values), ContractError);
  EXPECT_THROW(reader.read("weights", "head", {0, 2}, values), InternalError);
  EXPECT_THROW(CheckpointReader(folder / "nowhere"), EnvironmentError);
}

}   // namespace
}   // namespace lastro
