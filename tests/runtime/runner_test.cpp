#include "runtime/runner.h"

#include <gmock/gmock.h>

#include <fstream>
#include <mutex>

#include "core/files.h"
#include "core/hash.h"
#include "core/yaml.h"
#include "domain/errors.h"
#include "infra/posix/folder_store.h"
#include "infra/threads/threads_collective.h"
#include "tests/support/memory_checkpoints.h"
#include "tests/support/temporary_folder.h"

namespace lastro {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
namespace fs = std::filesystem;

enum class Fault { none, fails, differs, stops };
constexpr auto enum_names(Fault) {
  return std::array{EnumName{Fault::none, "none"}, EnumName{Fault::fails, "fails"}, EnumName{Fault::differs, "differs"},
                    EnumName{Fault::stops, "stops"}};
}

struct NoteSettings {
  std::string text = "words";
  Fault fault = Fault::none;
  std::int64_t on_rank = 0;
  static constexpr std::tuple fields{field("text", &NoteSettings::text, {.doc = "what is written"}),
                                     field("fault", &NoteSettings::fault, {.doc = "what goes wrong"}),
                                     field("on_rank", &NoteSettings::on_rank, {.doc = "and where"})};
};

// Every rank writes a file; one may go wrong.
class NoteStage {
 public:
  static constexpr std::string_view kind = "note";
  static constexpr int version = 1;
  using Settings = NoteSettings;
  struct Inputs {
    std::optional<Vocabulary> before;
    static constexpr std::tuple ports{port("before", &Inputs::before)};
  };
  using Output = Vocabulary;
  explicit NoteStage(Settings settings) : settings_(std::move(settings)) {}

  StageResult run(RunContext& run, const Inputs&) const {
    const bool here = run.ranks.rank().value == settings_.on_rank;
    if (settings_.fault == Fault::fails && here) throw EnvironmentError("the pen is broken (it was old) take another");
    if (settings_.fault == Fault::stops) throw Preempted("asked to stop");
    std::ofstream(run.output / ("of-rank-" + std::to_string(run.ranks.rank().value))) << settings_.text;
    StageResult result;
    result.summary.set("length", static_cast<std::int64_t>(settings_.text.size()) + (settings_.fault == Fault::differs && here));
    result.measured.set("speed", run.ranks.size());
    return result;
  }

 private:
  Settings settings_;
};

// Remembers what was shown; rank 0's alone.
struct SeenStages final : StageView {
  SilentTracker tracker;
  std::vector<std::string> begun, made_stages;
  Tracker& begins(const StageOrder& order) override {
    begun.push_back(order.stage);
    return tracker;
  }
  void made(const StageOrder& order, const MadeArtifact&, double) override { made_stages.push_back(order.stage); }
};

// A run of note stages, one after another.
struct NoteRun {
  TemporaryFolder folder;
  fs::path run = folder / "run";
  StageRegistry registry;
  std::vector<NextStage> stages;
  std::optional<double> budget_usd;
  double usd_per_second = 0;
  bool stop = false;
  SeenStages seen;
  std::vector<std::string> errors;   // by rank; "" where none

  NoteRun() { register_stage<NoteStage>(registry); }

  NextStage& add(const std::string& name, const NoteSettings& settings = {}) {
    NextStage next;
    next.order = {.stage = name, .kind = "note", .settings = lastro::to_node(settings), .seed = 1, .key = sha256(name)};
    for (NextStage& earlier : stages) earlier.dependants.push_back(name);
    stages.push_back(next);
    return stages.back();
  }

  RunRecord record() const { return *RunRecord::load(run); }
  FolderStore store() const { return FolderStore(folder / "store"); }

  // As a program does: the error of a rank is entered, and ends all ranks.
  void go(int ranks) {
    std::string manifest = "name: notes\nstages:\n";
    for (const NextStage& stage : stages) manifest += "  " + stage.order.stage + ": {kind: note}\n";
    Problems problems;
    RunRecord::begin(run, parse_yaml(manifest, "m.yaml", problems));
    errors.assign(ranks, "");
    try {
      run_as_ranks(ranks, [&](Collective& collective) { rank(collective); });
    } catch (const Error&) {}
  }

 private:
  void rank(Collective& ranks) {
    FolderStore store(folder / "store");
    OneWorker workers;
    SeenStages unseen;
    test::CheckpointMemory memory;
    StageMachine machine{.ranks = ranks,
                         .workers = workers,
                         .store = store,
                         .registry = registry,
                         .witness = {.files_in = {},
                                     .hash_plan = [](std::string_view plan) { return sha256(plan); },
                                     .hash_binary = [] { return sha256("binary"); },
                                     .read_nonce = {},
                                     .hash_file = [](const std::string& path) { return sha256_file(path); }},
                         .open_checkpoints = [&](const StageOrder&, Tracker&) { return std::make_unique<test::MemoryCheckpoints>(ranks, memory); },
                         .stop_requested = [this] { return stop; }};
    const Orchestra orchestra{.next_stage = [&] { return first_left(store); }, .usd_per_second = usd_per_second, .budget_usd = budget_usd};
    try {
      run_stages(machine, run, ranks.is_root() ? seen : unseen, ranks.is_root() ? &orchestra : nullptr);
    } catch (const Error& error) {
      errors[ranks.rank().value] = error.what();
      if (error.code() != ExitCode::preempted && entered_.try_lock()) enter_failure(run, error.what());
      throw;
    }
  }

  std::optional<NextStage> first_left(const FolderStore& store) const {
    for (const NextStage& stage : stages)
      if (!store.find_key(stage.order.key)) return stage;
    return std::nullopt;
  }

  std::mutex entered_;   // by the first rank that fails; the others fail because it did
};

class Runner : public testing::TestWithParam<int> {};
class RunnerOfSeveral : public Runner {};   // one rank cannot differ from itself
INSTANTIATE_TEST_SUITE_P(Ranks, Runner, testing::Values(1, 2, 3, 4));
INSTANTIATE_TEST_SUITE_P(Ranks, RunnerOfSeveral, testing::Values(2, 3, 4));

TEST_P(Runner, MakesEveryStageInOrderAndRecordsIt) {
  NoteRun notes;
  notes.add("01_first");
  notes.add("02_second", {.text = "other words"});

  notes.go(GetParam());

  EXPECT_THAT(notes.errors, testing::Each(""));
  EXPECT_THAT(notes.seen.made_stages, testing::ElementsAre("01_first", "02_second"));
  const Node entry = *notes.record().stage("02_second");
  EXPECT_EQ(entry.at("status"), Node("done"));
  EXPECT_EQ(entry.at("metrics").at("length"), Node(11));
  const auto made = notes.store().find_artifact(*notes.record().output_of("02_second"));
  ASSERT_TRUE(made);
  EXPECT_EQ(made->files.size(), static_cast<std::size_t>(GetParam()));
  EXPECT_EQ(notes.store().find_key(sha256("02_second"))->measured.at("speed"), Node(GetParam()));
  EXPECT_THAT(notes.store().verify(made->digest), IsEmpty());
  EXPECT_FALSE(fs::exists(notes.run / "work/02_second"));
}

TEST_P(Runner, MakesOnlyWhatIsLeft) {
  NoteRun notes;
  notes.add("01_first");
  notes.go(GetParam());
  notes.add("02_second");

  notes.go(GetParam());

  EXPECT_THAT(notes.seen.begun, testing::ElementsAre("01_first", "02_second"));
}

TEST_P(Runner, StopsAtAStageThatComesOutOtherwiseThanExpected) {
  NoteRun notes;
  NextStage& first = notes.add("01_first");
  first.expected = sha256("something else");
  first.expected_by = "m.yaml:7";
  notes.add("02_second");

  notes.go(GetParam());

  EXPECT_THAT(notes.errors[0],
              AllOf(HasSubstr("01_first came out as sha256:"), HasSubstr(sha256("something else").to_string()), HasSubstr("m.yaml:7")));
  EXPECT_EQ(notes.record().stage("01_first")->at("status"), Node("failed"));
  EXPECT_FALSE(notes.store().find_key(sha256("01_first")));
  EXPECT_THAT(notes.seen.begun, testing::ElementsAre("01_first"));
}

TEST_P(Runner, KeepsWhatWasMadeWhenTheMoneyIsSpent) {
  NoteRun notes;
  notes.usd_per_second = 1e9;
  notes.budget_usd = 1e-9;
  notes.add("01_first");
  notes.add("02_second");

  notes.go(GetParam());

  EXPECT_THAT(notes.errors[0], AllOf(HasSubstr("the run has cost"), HasSubstr("budget.cost_usd")));
  EXPECT_EQ(notes.record().stage("01_first")->at("status"), Node("done"));
  EXPECT_TRUE(notes.store().find_key(sha256("01_first")));
  EXPECT_FALSE(notes.record().output_of("02_second"));
}

TEST_P(Runner, EntersAStageThatThrowsOnOneRankWithWhatWaitsForIt) {
  NoteRun notes;
  notes.add("01_first", {.fault = Fault::fails, .on_rank = GetParam() - 1});
  notes.add("02_second");

  notes.go(GetParam());

  EXPECT_THAT(notes.errors[GetParam() - 1], HasSubstr("the pen is broken"));
  const Node entry = *notes.record().stage("01_first");
  EXPECT_EQ(entry.at("status"), Node("failed"));
  EXPECT_THAT(entry.at("cause").text(), HasSubstr("the pen is broken"));
  EXPECT_EQ(entry.at("invalidates"), Node(Node::Sequence{Node("02_second")}));
}

TEST_P(RunnerOfSeveral, NamesTheRankThatMadeAnotherResult) {
  NoteRun notes;
  notes.add("01_first", {.fault = Fault::differs, .on_rank = GetParam() - 1});

  notes.go(GetParam());

  const std::string odd = "rank " + std::to_string(GetParam() - 1);
  EXPECT_THAT(notes.errors,
              testing::Each(AllOf(HasSubstr(odd + " made another result of 01_first"), HasSubstr("{\"length\":6}"), HasSubstr("{\"length\":5}"))));
  EXPECT_FALSE(notes.store().find_key(sha256("01_first")));
}

TEST_P(Runner, EntersAnInterruptionWithItsTime) {
  NoteRun notes;
  notes.add("01_first", {.fault = Fault::stops});

  notes.go(GetParam());

  EXPECT_THAT(notes.errors[0], HasSubstr("asked to stop"));
  EXPECT_EQ(notes.record().stage("01_first")->at("status"), Node("interrupted"));
  EXPECT_GT(notes.record().seconds_spent("01_first"), 0);
}

TEST_P(Runner, StopsBetweenTwoStagesWhenAsked) {
  NoteRun notes;
  notes.add("01_first");
  notes.stop = true;

  notes.go(GetParam());

  EXPECT_THAT(notes.errors, testing::Each(HasSubstr("run the same command to go on")));
  EXPECT_THAT(notes.seen.begun, IsEmpty());
}

TEST_P(Runner, RefusesAnInputThatIsNotWhatItsHashSays) {
  NoteRun notes;
  notes.add("01_first");
  notes.go(GetParam());
  const Digest first = *notes.record().output_of("01_first");
  const fs::path file = notes.store().folder_of(first) / "of-rank-0";
  fs::permissions(file, fs::perms::owner_all);
  std::ofstream(file) << "forged";
  notes.add("02_second").order.inputs = {
      {"before", ResolvedArtifact{ArtifactType::vocabulary, first, notes.store().folder_of(first), "roll it back"}, {}}};

  notes.go(GetParam());

  EXPECT_THAT(notes.errors,
              testing::Each(AllOf(HasSubstr("rank 0 differs in " + file.string()), HasSubstr(sha256("words").to_string()),
                                  HasSubstr(sha256("forged").to_string()), HasSubstr("roll it back"))));
}

TEST(EnterFailure, DoesNothingWhereNoStageIsAtWork) {
  NoteRun notes;
  notes.add("01_first");
  notes.go(1);
  const std::string before = read_file(notes.run / "manifest.out.yaml");

  enter_failure(notes.run, "too late");
  enter_failure(notes.folder / "nowhere", "no run");

  EXPECT_EQ(read_file(notes.run / "manifest.out.yaml"), before);
}

}   // namespace
}   // namespace lastro
