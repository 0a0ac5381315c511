#include <gmock/gmock.h>

#include "core/json.h"
#include "domain/errors.h"
#include "infra/self/self_collective.h"
#include "infra/threads/threads_collective.h"
#include "naive_bpe.h"
#include "stages/tokenizer.h"
#include "stages/vocabulary.h"
#include "support/no_checkpoints.h"
#include "support/temporary_folder.h"
#include "support/thread_workers.h"
#include "text/pretoken_counts.h"
#include "text/text_file.h"
#include "text/vocabulary_files.h"
#include "trained.h"

namespace lastro {
namespace {

using Texts = std::vector<std::vector<std::string>>;   // [source][document]

// Documents in memory; part p has every parts-th, in pieces of seven bytes.
class MemoryDocuments final : public DocumentStream {
 public:
  explicit MemoryDocuments(Texts documents, std::int64_t malformed_rows = 0) : documents_(std::move(documents)), malformed_rows_(malformed_rows) {}

  ReadReport read(int part, int parts, const std::function<void(const DocumentPiece&)>& visit) const override {
    for (std::size_t source = 0; source < documents_.size(); ++source)
      for (std::size_t document = part; document < documents_[source].size(); document += parts)
        give(static_cast<int>(source), static_cast<std::int64_t>(document), documents_[source][document], visit);
    ReadReport report{std::vector<ReadReport::OfSource>(documents_.size())};
    if (part == 0) report.sources[0] = {.rows = 1000, .malformed = malformed_rows_};
    return report;
  }

 private:
  static void give(int source, std::int64_t document, std::string_view text, const std::function<void(const DocumentPiece&)>& visit) {
    std::size_t at = 0;
    do {
      const std::size_t taken = std::min<std::size_t>(7, text.size() - at);
      visit({source, document, text.substr(at, taken), at == 0, at + taken == text.size()});
      at += taken;
    } while (at < text.size());
  }

  Texts documents_;
  std::int64_t malformed_rows_;   // of 1000, in the first source
};

Sources sources_of(std::vector<double> weights) {
  Sources sources;
  for (const double weight : weights) {
    Source source;
    source.name = "source" + std::to_string(sources.size());
    source.weight = weight;
    sources.push_back(std::move(source));
  }
  return sources;
}

struct Machine {
  int ranks = 1;
  int workers = 1;
  std::int64_t memory_limit_bytes = 0;
  std::function<bool()> stop_requested;
};

// Runs `body` on each rank with a context of its own on shared folders; returns what rank 0 gave.
StageResult run_on_machine(const Machine& machine, const std::filesystem::path& output, const std::function<StageResult(RunContext&)>& body) {
  const TemporaryFolder work;
  std::filesystem::create_directories(output);
  StageResult of_root;
  run_as_ranks(machine.ranks, [&](Collective& ranks) {
    ThreadWorkers workers(machine.workers);
    SilentTracker tracker;
    test::NoCheckpoints checkpoints;
    RunContext run{ranks, workers, tracker, 42, Digest{}, output, work.path(), checkpoints, machine.memory_limit_bytes, machine.stop_requested};
    const StageResult result = body(run);
    if (ranks.is_root()) of_root = result;
  });
  return of_root;
}

StageResult run_vocabulary(const Machine& machine, const std::filesystem::path& output, const DocumentStream& documents, const Sources& sources,
                           VocabularySettings settings = {}) {
  return run_on_machine(machine, output, [&](RunContext& run) { return VocabularyStage(settings).run_on(run, documents, sources); });
}

std::string all_files(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files[entry.path().lexically_relative(folder)] = read_text_file(entry.path());
  std::string all;
  for (const auto& [name, text] : files) all += name + '\0' + std::to_string(text.size()) + '\0' + text;
  return all;
}

MemoryDocuments odd_documents() {
  Dice dice(1);
  Texts documents(2);
  for (int i = 0; i < 60; ++i) documents[i % 2].push_back(odd_text(dice, dice.below(400)));
  documents[0].push_back(std::string(3000, 'a'));
  documents[0].push_back("");
  return MemoryDocuments(documents);
}

TEST(VocabularyStage, MakesTheSameOnAnyMachine) {
  const TemporaryFolder folder;
  const MemoryDocuments documents = odd_documents();
  const StageResult wanted = run_vocabulary({}, folder / "wanted", documents, sources_of({1, 2}));

  for (const Machine& machine : {Machine{2, 1}, Machine{3, 2}, Machine{4, 1}, Machine{1, 2, 20000}, Machine{3, 1, 1}}) {
    const std::filesystem::path output = folder / ("r" + std::to_string(machine.ranks) + "m" + std::to_string(machine.memory_limit_bytes));
    const StageResult found = run_vocabulary(machine, output, documents, sources_of({1, 2}));

    EXPECT_EQ(all_files(output), all_files(folder / "wanted")) << machine.ranks << " ranks";
    EXPECT_EQ(found.summary, wanted.summary);
    if (machine.memory_limit_bytes == 1) {
      EXPECT_GT(found.measured.at("spills").integer(), 3);
    }
  }
}

TEST(VocabularyStage, CountsEveryPretokenOfASingleSource) {
  const TemporaryFolder folder;
  Dice dice(2);
  std::vector<std::string> texts;
  std::map<std::string, std::uint64_t> wanted;
  for (int i = 0; i < 20; ++i) {
    texts.push_back(odd_text(dice, 50));
    for_each_pretoken(texts.back(), [&](std::string_view pretoken) { ++wanted[std::string(pretoken)]; });
  }

  run_vocabulary({}, folder.path(), MemoryDocuments(Texts{texts}), sources_of({1}));

  std::map<std::string, std::uint64_t> found;
  for (PretokenCountsReader reader(folder / "pretokens.counts"); reader.next();) found[std::string(reader.current().bytes)] = reader.current().count;
  EXPECT_EQ(found, wanted);
}

TEST(VocabularyStage, BalancesSourcesByWeight) {
  const TemporaryFolder folder;
  std::string large, small;
  for (int i = 0; i < 200000; ++i) large += "large words ";
  for (int i = 0; i < 20000; ++i) small += "small words ";

  run_vocabulary({}, folder.path(), MemoryDocuments(Texts{{large}, {small}}), sources_of({3, 1}), {.sample_bytes = 800000});

  const Node report = parse_json(read_text_file(folder / "vocabulary.json"), "vocabulary.json");
  const auto counted = [&](int source) { return report.at("sources").items()[source].at("counted_bytes").number(); };
  EXPECT_NEAR(counted(0), 600000, 150000);   // 73 segments of 8 KiB drawn of 293
  EXPECT_NEAR(counted(1), 200000, 60000);
}

TEST(VocabularyStage, TakesAllOfASourceThatIsTooShortForItsShare) {
  const TemporaryFolder folder;

  run_vocabulary({}, folder.path(), MemoryDocuments(Texts{{std::string(100000, 'x')}, {"short text"}}), sources_of({1, 1}));

  const Node report = parse_json(read_text_file(folder / "vocabulary.json"), "vocabulary.json");
  EXPECT_EQ(report.at("sources").items()[1].at("counted_bytes").integer(), 10);
}

TEST(VocabularyStage, RefusesSourcesWithoutText) {
  const TemporaryFolder folder;

  EXPECT_THROW(run_vocabulary({}, folder.path(), MemoryDocuments(Texts{{"", ""}}), sources_of({1})), ContractError);
  EXPECT_THROW(run_vocabulary({}, folder.path(), MemoryDocuments(Texts(1)), sources_of({1})), ContractError);
  EXPECT_THROW(run_vocabulary({}, folder.path(), MemoryDocuments(Texts()), {}), UsageError);
}

TEST(VocabularyStage, NamesTheSampleThatIsTooSmallToDrawAnything) {
  const TemporaryFolder folder;

  try {
    run_vocabulary({3}, folder.path(), MemoryDocuments(Texts{{std::string(100000, 'x')}}), sources_of({1}), {.sample_bytes = 1});
    FAIL() << "nothing was drawn";
  } catch (const ContractError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("settings.sample_bytes=1 drew nothing to count of 100000 bytes of text"));
  }
}

TEST(VocabularyStage, RefusesMoreMalformedRowsThanTheDatasetWould) {
  const TemporaryFolder folder;
  const auto count = [&](std::int64_t malformed_rows, VocabularySettings settings = {}) {
    run_vocabulary({3}, folder.path(), MemoryDocuments(Texts{{"some text"}}, malformed_rows), sources_of({1}), settings);
  };

  EXPECT_NO_THROW(count(10));
  EXPECT_THROW(count(11), ContractError);
  EXPECT_NO_THROW(count(11, {.malformed = 0.02}));
  EXPECT_EQ(VocabularySettings{}.malformed, DatasetSettings{}.malformed);
}

TEST(VocabularyStage, TakesALimitOfMalformedRowsThatChangesNoKey) {
  const StageKind kind = stage_kind<VocabularyStage>();
  Node stated = Node::mapping();
  stated.set("malformed", 0.5);
  Problems problems;
  const auto key_settings = [&](const Node& given) {
    return result_bearing(kind.specs(""), complete_settings(kind.specs(""), given, {"m.yaml", "01_vocabulary.settings", {}}, problems));
  };

  EXPECT_EQ(key_settings(stated), key_settings(Node::mapping()));
  EXPECT_TRUE(problems.empty());
}

TEST(VocabularyStage, StopsOnAllRanksWhenAsked) {
  const TemporaryFolder folder;

  EXPECT_THROW(
      run_vocabulary({3, 1, 0, [] { return true; }}, folder.path(), MemoryDocuments(Texts{{"only one rank has a document"}}), sources_of({1})),
      Preempted);
}

TEST(VocabularyStage, SaysWhatIsWrongWithItsSettings) {
  const StageKind kind = stage_kind<VocabularyStage>();
  const auto problems_of = [&](Node given) {
    Problems problems;
    kind.parse(given, "", {"m.yaml", "01_vocabulary.settings", {}}, problems);
    return problems.size();
  };
  Node good = Node::mapping(), small = Node::mapping(), smaller = Node::mapping(), special = Node::mapping(), twice = Node::mapping();
  good.set("size", 1000);
  good.set("smaller_sizes", Node(Node::Sequence{500}));
  good.set("special_tokens", Node(Node::Sequence{"<|image|>"}));
  small.set("size", 264);
  small.set("special_tokens", Node(Node::Sequence{"<|image|>"}));
  smaller.set("smaller_sizes", Node(Node::Sequence{4000}));
  special.set("special_tokens", Node(Node::Sequence{"the"}));
  twice.set("special_tokens", Node(Node::Sequence{"<|pad|>"}));

  EXPECT_EQ(problems_of(good), 0u);
  EXPECT_EQ(problems_of(small), 1u);
  EXPECT_EQ(problems_of(smaller), 1u);
  EXPECT_EQ(problems_of(special), 1u);
  EXPECT_EQ(problems_of(twice), 1u);

  Node two_wrong = Node::mapping();
  two_wrong.set("special_tokens", Node(Node::Sequence{"<|image|>", "the", "a"}));
  Problems problems;
  kind.parse(two_wrong, "", {"m.yaml", "01_vocabulary.settings", {}}, problems);
  ASSERT_EQ(problems.size(), 2u);
  EXPECT_THAT(problems[0].message, testing::StartsWith("01_vocabulary.settings.special_tokens.1=\"the\" (must have the form"));
  EXPECT_THAT(problems[1].message, testing::StartsWith("01_vocabulary.settings.special_tokens.2=\"a\" (must have the form"));
}

TEST(TokenizerStage, LearnsFromTheCountsWhatTheDefinitionSays) {
  const TemporaryFolder folder;
  Dice dice(3);
  std::vector<std::string> texts;
  std::map<std::string, std::uint64_t> counts;
  for (int i = 0; i < 20; ++i) {
    texts.push_back(odd_text(dice, 50));
    for_each_pretoken(texts.back(), [&](std::string_view pretoken) { ++counts[std::string(pretoken)]; });
  }
  run_vocabulary({}, folder / "vocabulary", MemoryDocuments(Texts{texts}), sources_of({1}), {.size = 340, .smaller_sizes = {300}});
  const TokenizerStage::Inputs inputs{Vocabulary(Digest{}, folder / "vocabulary")};

  const StageResult result = run_on_machine({}, folder / "tokenizer", [&](RunContext& run) { return TokenizerStage({}).run(run, inputs); });
  run_on_machine({3, 2}, folder / "tokenizer3", [&](RunContext& run) { return TokenizerStage({}).run(run, inputs); });

  const BpeTokenizer tokenizer = BpeTokenizer::load(folder / "tokenizer");
  EXPECT_EQ(tokenizer.vocabulary(), naive_train(counts, 340, 2, standard_special_tokens()).vocabulary);
  EXPECT_EQ(BpeTokenizer::load(folder / "tokenizer" / "sizes" / "300").vocabulary(), prefix_of(tokenizer.vocabulary(), 300));
  EXPECT_EQ(all_files(folder / "tokenizer"), all_files(folder / "tokenizer3"));
  std::int64_t bytes = 0, tokens = 0;
  for (const std::string& text : texts) {
    bytes += static_cast<std::int64_t>(text.size());
    tokens += static_cast<std::int64_t>(tokenizer.encode(text).size());
  }
  EXPECT_EQ(result.summary.at("bytes").integer(), bytes);
  EXPECT_EQ(result.summary.at("tokens").integer(), tokens);
}

TEST(TokenizerStage, RefusesWhatDoesNotFitIntoMemory) {
  const TemporaryFolder folder;
  run_vocabulary({}, folder / "vocabulary", odd_documents(), sources_of({1, 1}));
  const TokenizerStage::Inputs inputs{Vocabulary(Digest{}, folder / "vocabulary")};

  EXPECT_THROW(run_on_machine({1, 1, 1000000}, folder / "tokenizer", [&](RunContext& run) { return TokenizerStage({}).run(run, inputs); }),
               BudgetError);
}

TEST(TokenizerStage, RefusesCountsOfAnotherPretokenisation) {
  const TemporaryFolder folder;
  run_vocabulary({}, folder / "vocabulary", odd_documents(), sources_of({1, 1}));
  std::string text = read_text_file(folder / "vocabulary" / "vocabulary.json");
  text.replace(text.find("unicode-16"), 10, "unicode-15");
  write_text_file(folder / "vocabulary" / "vocabulary.json", text);
  const TokenizerStage::Inputs inputs{Vocabulary(Digest{}, folder / "vocabulary")};

  EXPECT_THROW(run_on_machine({}, folder / "tokenizer", [&](RunContext& run) { return TokenizerStage({}).run(run, inputs); }), ContractError);
}

TEST(TokenizerStage, RefusesAVocabularyWhoseFieldsAreOfAnotherKind) {
  const TemporaryFolder folder;
  run_vocabulary({}, folder / "vocabulary", odd_documents(), sources_of({1, 1}));
  std::string text = read_text_file(folder / "vocabulary" / "vocabulary.json");
  text.replace(text.find("\"<|endoftext|>\""), 15, "17");
  write_text_file(folder / "vocabulary" / "vocabulary.json", text);

  EXPECT_THROW(read_vocabulary_request(folder / "vocabulary"), ContractError);
}

}   // namespace
}   // namespace lastro
