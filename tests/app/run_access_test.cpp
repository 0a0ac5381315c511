#include "app/run_access.h"

#include <gmock/gmock.h>

#include <array>
#include <fstream>
#include <functional>

#include "domain/errors.h"
#include "run_example.h"

namespace lastro {
namespace {

using testing::AllOf;
using testing::HasSubstr;
namespace fs = std::filesystem;

std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "not refused";
}

TEST(OpenRun, TakesADirectoryOrItsRecord) {
  RunExample example;
  example.finished("");

  EXPECT_EQ(open_run({.subject = example.run}).folder, example.run);
  EXPECT_EQ(open_run({.subject = example.run / "manifest.out.yaml"}).folder, example.run);
}

TEST(OpenRun, FindsTheStoreThatTheRunUsedUnlessAnotherIsNamed) {
  RunExample example;
  RunRecord record = example.finished("");
  record.note("machine", RunExample::tree_of("store: " + example.store.root().string()));

  EXPECT_EQ(open_run({.subject = example.run}).store.root(), example.store.root());
  EXPECT_EQ(open_run({.subject = example.run, .store = example.folder / "other"}).store.root(), example.folder / "other");
}

TEST(OpenRun, SaysWhereThereIsNoRun) {
  const TemporaryFolder folder;
  EXPECT_THAT(refusal([&] { open_run({.subject = folder.path()}); }),
              AllOf(HasSubstr(folder.path().string()), HasSubstr("manifest.out.yaml"), HasSubstr("lastro run")));
}

TEST(OpenRun, RefusesADamagedRecord) {
  RunExample example;
  example.finished("");
  std::ofstream(example.run / "manifest.out.yaml") << "stages: {";

  EXPECT_THROW(open_run({.subject = example.run}), ContractError);
}

TEST(NewestArtifact, IsOfTheLastStageThatMadeOne) {
  RunExample example;
  RunRecord record = RunRecord::begin(
      example.run,
      RunExample::tree_of("name: example\nstages:\n  04_pretrain: {kind: pretrain}\n  05_pretrain: {kind: pretrain}\n  06: {kind: evaluate}\n"));
  const ArtifactRecord earlier = example.put(ArtifactType::checkpoint, "key of 04", "weights", Node::mapping());
  const ArtifactRecord later = example.put(ArtifactType::checkpoint, "key of 05", "more weights", Node::mapping());
  example.enter(record, "04_pretrain", "key of 04", earlier, 0);
  example.enter(record, "05_pretrain", "key of 05", later, 0);
  const OpenedRun run = open_run({.subject = example.run, .store = example.store.root()});

  EXPECT_EQ(newest_model(run).stage, "05_pretrain");
  EXPECT_EQ(newest_model(run).record.digest, later.digest);

  fs::remove_all(example.store.folder_of(later.digest));
  EXPECT_THROW(newest_model(run), ContractError) << "an earlier one is not what was asked for";
}

TEST(NewestArtifact, SaysWhatIsMissing) {
  RunExample example;
  RunRecord::begin(example.run, RunExample::tree_of("name: example\nstages:\n  04_pretrain: {kind: pretrain}\n"));
  const OpenedRun run = open_run({.subject = example.run, .store = example.store.root()});

  EXPECT_THAT(refusal([&] {
                newest_artifact(run, std::array{ArtifactType::tokenizer, ArtifactType::dataset});
              }),
              HasSubstr("has not made a tokenizer or dataset yet"));
}

}   // namespace
}   // namespace lastro
