#include <gmock/gmock.h>

#include <algorithm>
#include <csignal>
#include <fstream>

#include "core/files.h"
#include "pipeline/finished_run.h"

namespace lastro::pipeline {
namespace {
namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::HasSubstr;

void flip_a_bit(const fs::path& file, std::uintmax_t place) {
  fs::permissions(file, fs::perms::owner_write, fs::perm_options::add);
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekg(static_cast<std::streamoff>(place));
  const char byte = static_cast<char>(stream.get() ^ 4);
  stream.seekp(static_cast<std::streamoff>(place));
  stream.put(byte);
}

void cut(const fs::path& file) {
  fs::permissions(file, fs::perms::owner_write, fs::perm_options::add);
  fs::resize_file(file, fs::file_size(file) / 2);
}

fs::path largest_file(const fs::path& folder) {
  fs::path largest;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && entry.path().filename() != "artifact.json" && (largest.empty() || entry.file_size() > fs::file_size(largest)))
      largest = entry.path();
  return largest;
}

enum class Harm { bit, cut, gone };

struct Case {
  std::string stage;
  Harm harm;
  std::string name;
};
void PrintTo(const Case& one, std::ostream* to) { *to << one.name; }

class ADamagedArtifact : public AFinishedRun, public ::testing::WithParamInterface<Case> {
 protected:
  void harm(const fs::path& file) const {
    switch (GetParam().harm) {
      case Harm::bit: return flip_a_bit(file, fs::file_size(file) / 2);
      case Harm::cut: return cut(file);
      case Harm::gone: fs::remove(file);
    }
  }
  // Something that reads the artifact anew.
  Words reader() const {
    if (GetParam().stage == "04_pretrain") return {"--set", "stages.10_evaluate.settings.overlap=0.25"};
    return {"--set", "stages.04_pretrain.settings.steps=25"};
  }
};

TEST_P(ADamagedArtifact, IsNamedByVerifyRefusedByARunAndMadeAnewOnceItIsRemoved) {
  const fs::path folder = here.object(GetParam().stage), file = largest_file(folder);
  const std::string remedy = "remove " + folder.string() + ", and the same run command makes " + GetParam().stage + " anew";
  harm(file);

  const Ended verify = here.ask("verify");
  const Ended json = here.ask("verify", {"--json"});
  const Ended run = here.run_it(reader());
  const bool has_another_size = GetParam().harm != Harm::bit;

  EXPECT_EQ(verify.exit_code, 4) << verify;
  EXPECT_THAT(verify.out, AllOf(HasSubstr(file.filename().string()), HasSubstr("wanted"), HasSubstr("found")));
  EXPECT_EQ(json.exit_code, 4) << json;
  EXPECT_FALSE(json_of(json).at("damages").items().empty());
  EXPECT_EQ(run.exit_code, 4) << run;
  EXPECT_THAT(run.err, HasSubstr(file.filename().string()));
  EXPECT_THAT(run.err, HasSubstr(remedy));
  if (has_another_size) {   // told by everything that speaks of the run, though nothing reads the file
    const Ended status = here.ask("status");
    EXPECT_EQ(status.exit_code, 4) << status;
    EXPECT_THAT(status.out, HasSubstr("damaged: " + file.string()));
    for (const Ended& ended : {here.run_it(), here.ask("gate")}) {
      EXPECT_EQ(ended.exit_code, 4) << ended;
      EXPECT_THAT(ended.err, AllOf(HasSubstr(file.filename().string()), HasSubstr(remedy)));
    }
  }

  fs::remove_all(folder);
  const Ended again = here.run_it();
  EXPECT_EQ(again.exit_code, 0) << again;
  EXPECT_EQ(here.digests(), golden("small"));
  EXPECT_EQ(here.ask("verify").exit_code, 0) << here.ask("verify");
}

INSTANTIATE_TEST_SUITE_P(All, ADamagedArtifact,
                         ::testing::Values(Case{"03_dataset", Harm::bit, "DatasetByABit"}, Case{"03_dataset", Harm::gone, "DatasetByALostFile"},
                                           Case{"04_pretrain", Harm::bit, "CheckpointByABit"}, Case{"04_pretrain", Harm::cut, "CheckpointByACut"}),
                         [](const auto& one) { return one.param.name; });

// Neither remedy may ask for the other's file.
TEST_F(AFinishedRun, WhoseRecordIsDamagedBesideAnArtifactSaysWhatMendsBoth) {
  const fs::path object = here.object("03_dataset"), record = here.run / "manifest.out.yaml";
  cut(largest_file(object));
  flip_a_bit(record, fs::file_size(record) / 2);

  const Ended run = here.run_it();

  EXPECT_EQ(run.exit_code, 4) << run;
  EXPECT_THAT(run.err, HasSubstr("remove " + object.string() + ", and the same run command makes 03_dataset anew"));
  fs::remove_all(object);
  const Ended again = here.run_it();
  EXPECT_EQ(again.exit_code, 0) << again;
  EXPECT_EQ(here.digests(), golden("small"));
  EXPECT_EQ(here.ask("verify").exit_code, 0) << here.ask("verify");
}

TEST_F(AFinishedRun, WhoseStoreRecordIsDamagedIsRefusedByName) {
  const fs::path record = here.object("03_dataset") / "artifact.json";
  flip_a_bit(record, fs::file_size(record) / 2);

  const Ended run = here.run_it();

  EXPECT_EQ(run.exit_code, 4) << run;
  EXPECT_THAT(run.err, AllOf(HasSubstr("artifact.json"), HasSubstr("remove this file")));
  EXPECT_EQ(here.ask("verify").exit_code, 4);

  fs::remove(record);
  EXPECT_EQ(here.run_it().exit_code, 0);
  EXPECT_EQ(here.digests(), golden("small"));
  EXPECT_EQ(here.ask("verify").exit_code, 0);
}

TEST_F(AFinishedRun, NamesAFlippedBitWhereverItIsInItsStoreAndItsCheckpoints) {
  std::vector<fs::path> files;
  for (const fs::path& folder : {here.store / "objects", here.store / "keys", here.store / "runs", here.run / "checkpoints"})
    for (const auto& entry : fs::recursive_directory_iterator(folder))
      if (entry.is_regular_file() && entry.file_size() > 0) files.push_back(entry.path());
  ASSERT_GT(files.size(), 30u);
  std::sort(files.begin(), files.end());

  std::size_t at = 0;
  for (const fs::path& file : files) {
    const std::uintmax_t bytes = fs::file_size(file), places[] = {0, bytes / 2, bytes - 1};
    const std::uintmax_t place = places[at++ % 3];
    flip_a_bit(file, place);
    const Ended verify = here.ask("verify");
    flip_a_bit(file, place);

    EXPECT_EQ(verify.exit_code, 4) << file << " at " << place << "\n" << verify;
    EXPECT_THAT(verify.out, AllOf(HasSubstr("damaged: "), HasSubstr(file.filename().string()), HasSubstr("to mend it: "))) << place;
  }
  EXPECT_EQ(here.ask("verify").exit_code, 0) << here.ask("verify");
}

TEST_F(AFinishedRun, IsMendedByRemovingARecordOfItsStoreThatIsDamaged) {
  for (const fs::path& folder : {here.store / "keys", here.store / "runs"}) {
    const fs::path record = fs::directory_iterator(folder)->path();
    flip_a_bit(record, fs::file_size(record) / 2);
    EXPECT_THAT(here.ask("verify").out, AllOf(HasSubstr(record.filename().string()), HasSubstr("remove ")));

    fs::remove(record);
    EXPECT_EQ(here.run_it().exit_code, 0);
    EXPECT_EQ(here.digests(), golden("small"));
    EXPECT_EQ(here.ask("verify").exit_code, 0) << here.ask("verify");
  }
}

TEST_F(AFinishedRun, WhoseReportIsDamagedHasNoVerdict) {
  const fs::path report = largest_file(here.object("10_evaluate"));
  flip_a_bit(report, fs::file_size(report) / 2);

  const Ended run = here.run_it();
  const Ended gate = here.ask("gate");

  EXPECT_EQ(run.exit_code, 4) << run;
  EXPECT_EQ(gate.exit_code, 4) << gate;
  EXPECT_THAT(gate.err, HasSubstr("remove " + here.object("10_evaluate").string()));
  EXPECT_THAT(gate.err, HasSubstr(report.filename().string()));
}

TEST_F(AFinishedRun, WithoutItsStoreIsMadeAnew) {
  fs::remove_all(here.store);

  const Ended again = here.run_it();

  EXPECT_EQ(again.exit_code, 0) << again;
  EXPECT_EQ(here.digests(), golden("small"));
}

TEST_F(AFinishedRun, WhoseArtifactsAreGoneSaysSoWhateverIsAskedOfIt) {
  const auto expect_gone = [&](const std::string& command, const std::vector<std::string>& more, const std::string& stage) {
    const Ended ended = here.ask(command, more);
    EXPECT_EQ(ended.exit_code, 4) << ended;
    EXPECT_THAT(ended.err, AllOf(HasSubstr("what " + stage + " made is gone from the store"), HasSubstr("the same run command makes " + stage)));
  };
  fs::remove(here.object("10_evaluate") / "artifact.json");
  expect_gone("gate", {}, "10_evaluate");
  fs::remove_all(here.object("10_evaluate"));
  expect_gone("gate", {}, "10_evaluate");
  fs::remove_all(here.object("04_pretrain"));
  expect_gone("sample", {"--prompt", "a"}, "04_pretrain");
  expect_gone("export", {"--format", "hf", (here.run / "exported").string()}, "04_pretrain");
  fs::remove_all(here.store);
  expect_gone("tokenize", {"--input", here.write("in.jsonl", "{\"text\": \"a\"}\n")}, "02_tokenizer");
  expect_gone("gate", {}, "01_vocabulary");
  EXPECT_THAT(here.ask("gate").err, HasSubstr("where the store was moved, say --store"));
}

TEST_F(AFinishedRun, WhoseReportsKeyIsGoneHasNoVerdict) {
  for (const auto& key : fs::directory_iterator(here.store / "keys")) fs::remove(key);

  const Ended gate = here.ask("gate");

  EXPECT_EQ(gate.exit_code, 4) << gate;
  EXPECT_THAT(gate.err, AllOf(HasSubstr("the key of 01_vocabulary is gone"), HasSubstr("the same run command makes 01_vocabulary again")));
}

TEST_F(AFinishedRun, IsMadeAnewByWhatVerifySaysOfManyDamagesAtOnce) {
  fs::remove(here.object("02_tokenizer") / "artifact.json");
  cut(largest_file(here.object("03_dataset")));
  flip_a_bit(largest_file(here.object("04_pretrain")), 4000);   // the last checkpoint's shard too, on one file system
  for (const auto& key : fs::directory_iterator(here.store / "keys")) flip_a_bit(key, 40);

  const Node verified = json_of(here.ask("verify", {"--json"}));
  for (const Node& damage : verified.at("damages").items()) {
    const std::string& remedy = damage.at("remedy").text();
    const std::string path = remedy.starts_with("remove this file") ? damage.at("file").text() : remedy.substr(7, remedy.find_first_of(",;") - 7);
    ASSERT_TRUE(remedy.starts_with("remove ")) << remedy;
    ASSERT_TRUE(path.starts_with(here.run.string()) || path.starts_with(here.store.string())) << path;
    fs::remove_all(path);
  }

  const Ended again = here.run_it();
  EXPECT_EQ(again.exit_code, 0) << again;
  EXPECT_EQ(here.digests(), golden("small"));
  EXPECT_EQ(here.ask("verify").exit_code, 0) << here.ask("verify");
}

TEST_F(AFinishedRun, WithADamagedRecordKeepsItAndWritesANewOne) {
  here.write("run/manifest.out.yaml", "stages: [\n");

  const Ended again = here.run_it();

  EXPECT_EQ(again.exit_code, 0) << again;
  EXPECT_EQ(here.digests(), golden("small"));
  EXPECT_EQ(read_file(here.run / "history/manifest.out-1.yaml"), "stages: [\n");
}

// A run that was killed after some checkpoints, to be harmed before it goes on.
class AnUnfinishedRun : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto front = here.start_run({"--ranks", "2"});
    wait_for_step(here, 33);
    ::kill(here.ranks().at(1), SIGKILL);
    ASSERT_EQ(front->wait().exit_code, 8);
    ASSERT_TRUE(fs::exists(newest() / "index.json"));
  }
  fs::path newest() const {
    fs::path last;
    for (const auto& entry : fs::directory_iterator(here.run / "checkpoints"))
      if (fs::exists(entry.path() / "index.json") && entry.path() > last) last = entry.path();
    return last;
  }
  void expect_to_walk_back() {
    const std::string lost = newest().filename();

    const Ended again = here.run_it({"--ranks", "2"});

    ASSERT_EQ(again.exit_code, 0) << again;
    EXPECT_THAT(again.out, HasSubstr(lost + " is passed over"));
    EXPECT_EQ(here.digests(), golden("small"));
  }

  Workplace here;
};

TEST_F(AnUnfinishedRun, WalksBackPastAFlippedBit) {
  const fs::path shard = newest() / "rank-01-of-02.h5";
  flip_a_bit(shard, fs::file_size(shard) / 2);
  EXPECT_EQ(here.ask("verify").exit_code, 4);
  expect_to_walk_back();
}

TEST_F(AnUnfinishedRun, WalksBackPastATruncatedShard) {
  cut(newest() / "rank-00-of-02.h5");
  if (fs::exists(newest() / "VERIFIED")) {
    const Ended status = here.ask("status");
    EXPECT_EQ(status.exit_code, 4) << status;
    EXPECT_THAT(status.out, AllOf(HasSubstr(newest().filename().string() + "/rank-00-of-02.h5: wanted "),
                                  HasSubstr("training goes on from the newest whole one")));
  }
  expect_to_walk_back();
}

TEST_F(AnUnfinishedRun, WalksBackPastAMissingShard) {
  fs::remove(newest() / "rank-01-of-02.h5");
  expect_to_walk_back();
}

TEST_F(AnUnfinishedRun, WalksBackPastADamagedIndex) {
  flip_a_bit(newest() / "index.json", 200);
  expect_to_walk_back();
}

TEST_F(AnUnfinishedRun, WalksBackPastAnOldFormatAndSaysWhichItCannotRead) {
  here.write("run/checkpoints/" + newest().filename().string() + "/index.json", "{\"format\": \"lastro-checkpoint-0\", \"step\": 30}\n");
  expect_to_walk_back();
}

TEST_F(AnUnfinishedRun, BeginsAnewWhenNothingIsLeftToTrust) {
  for (const auto& entry : fs::directory_iterator(here.run / "checkpoints")) flip_a_bit(entry.path() / "rank-00-of-02.h5", 5000);

  const Ended again = here.run_it();

  ASSERT_EQ(again.exit_code, 0) << again;
  EXPECT_EQ(here.digests(), golden("small"));
}

}   // namespace
}   // namespace lastro::pipeline
