#include <gmock/gmock.h>

#include <fstream>

#include "app/commands.h"
#include "core/json.h"
#include "domain/errors.h"
#include "run_example.h"

namespace lastro {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
namespace fs = std::filesystem;

std::vector<std::string> swept(const RunExample& example, bool yes) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(gc_command({.store = example.store.root(), .json = true, .yes = yes}), 0);
  std::vector<std::string> names;
  const Node report = parse_json(testing::internal::GetCapturedStdout(), "stdout");
  for (const Node& name : report.at("artifacts").items()) names.push_back(name.text());
  return names;
}

TEST(Gc, NamesWhatNoRunNamesAndTouchesNothing) {
  RunExample example;
  example.finished("");
  const ArtifactRecord forgotten = example.put(ArtifactType::tokenizer, "another key", "forgotten", Node::mapping());

  EXPECT_THAT(swept(example, false), ElementsAre(forgotten.digest.to_string()));
  EXPECT_TRUE(example.store.find_artifact(forgotten.digest));
}

TEST(Gc, SweepsItWithItsKeysWhenToldTo) {
  RunExample example;
  const RunRecord record = example.finished("");
  const ArtifactRecord forgotten = example.put(ArtifactType::tokenizer, "another key", "forgotten", Node::mapping());

  EXPECT_THAT(swept(example, true), ElementsAre(forgotten.digest.to_string()));

  EXPECT_FALSE(example.store.find_artifact(forgotten.digest));
  EXPECT_FALSE(example.store.find_key(sha256("another key")));
  EXPECT_TRUE(example.store.find_artifact(*record.output_of("04_pretrain")));
  EXPECT_THAT(swept(example, false), IsEmpty());
}

TEST(Gc, KeepsWhatAnEarlierRecordOfARunNames) {
  RunExample example;
  example.finished("");
  RunRecord::begin(example.run,
                   RunExample::tree_of("name: example\nstages:\n  01_vocabulary: {kind: vocabulary}\n"));   // the old record moves to history

  EXPECT_THAT(swept(example, false), IsEmpty());
}

TEST(Gc, KeepsTheReportThatIsABaseline) {
  RunExample example;
  const ArtifactRecord baseline = example.put(ArtifactType::eval_report, "an earlier key", "an earlier report", Node::mapping());
  example.finished("", "baseline: " + baseline.digest.to_string() + "\n");

  EXPECT_THAT(swept(example, false), IsEmpty());
}

TEST(Gc, SweepsNothingBesideADamagedRecord) {
  RunExample example;
  example.finished("");
  std::ofstream(example.run / "manifest.out.yaml") << "stages: {";

  EXPECT_THROW(gc_command({.store = example.store.root(), .yes = true}), ContractError);
  EXPECT_EQ(example.store.artifacts().size(), 2u);
}

TEST(Gc, SweepsNothingBesideADamagedEarlierRecord) {
  RunExample example;
  example.finished("");
  std::ofstream(example.run / "manifest.out.yaml") << "stages: {";
  RunRecord::begin(example.run, RunExample::tree_of("name: example\nstages:\n  01_vocabulary: {kind: vocabulary}\n"));

  EXPECT_THROW(gc_command({.store = example.store.root(), .yes = true}), ContractError);
  EXPECT_EQ(example.store.artifacts().size(), 2u);

  fs::remove_all(example.run / "history");   // as the message says
  EXPECT_EQ(swept(example, false).size(), 2u);
}

TEST(Gc, SweepsNothingBesideEarlierRecordsThatCannotBeListed) {
  RunExample example;
  example.finished("");
  std::ofstream(example.run / "history") << "no folder";

  EXPECT_THROW(gc_command({.store = example.store.root(), .yes = true}), fs::filesystem_error);
}

TEST(Gc, RefusesAFolderThatIsNotThere) {
  const TemporaryFolder folder;
  EXPECT_THROW(gc_command({.store = folder / "nowhere"}), UsageError);
}

}   // namespace
}   // namespace lastro
