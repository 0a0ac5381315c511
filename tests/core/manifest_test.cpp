#include "core/manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "core/json.h"
#include "core/yaml.h"
#include "tests/core/manifest_examples.h"
#include "tests/core/toy_stages.h"

namespace lastro {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> problems_of(const std::string& text, const std::vector<std::string>& assignments = {}) {
  Problems problems;
  read_manifest(text, "m.yaml", assignments, toy::registry(), problems);
  std::vector<std::string> texts;
  for (const Problem& problem : problems) texts.push_back(problem.to_string());
  return texts;
}

std::vector<std::string> problems_with(const std::string& from, const std::string& to) { return problems_of(with(good_manifest, from, to)); }

Manifest read(const std::string& text, const std::vector<std::string>& assignments = {}) {
  Problems problems;
  Manifest manifest = read_manifest(text, "m.yaml", assignments, toy::registry(), problems);
  for (const Problem& problem : problems) ADD_FAILURE() << problem.to_string();
  return manifest;
}

TEST(Manifest, ReadsEachPartOfItsForm) {
  const Manifest manifest = read(good_manifest);

  EXPECT_EQ(manifest.name, "dev");
  EXPECT_EQ(manifest.seed, 7);
  EXPECT_EQ(manifest.budget.cost_usd, 1.0);
  EXPECT_EQ(manifest.rates.peak_tflops, std::nullopt);
  ASSERT_EQ(manifest.sources.size(), 3u);
  EXPECT_THAT(manifest.sources[0].path, ElementsAre("prose.txt"));
  EXPECT_EQ(manifest.sources[0].format, std::nullopt);
  EXPECT_THAT(manifest.sources[1].path, ElementsAre("a.md", "b.md"));
  EXPECT_EQ(manifest.sources[2].format, SourceFormat::stories);
  EXPECT_EQ(manifest.sources[2].generated->bytes, 5000);
  ASSERT_EQ(manifest.stages.size(), 5u);
  EXPECT_EQ(to_json(manifest.stages[0].settings), R"({"size":4096,"log_every":10})");
  EXPECT_EQ(to_json(manifest.stages[3].settings), R"({"width":64,"heads":4,"steps":200,"recompute":false})");
  EXPECT_EQ(manifest.stages[2].inputs[1].port, "text");
  EXPECT_EQ(manifest.stages[2].inputs[1].names[1].name, "jargon");
  EXPECT_EQ(manifest.stages[2].inputs[1].names[1].mark, (Mark{13, 79}));
  EXPECT_EQ(manifest.gates[0].condition(), "<= xz");
}

TEST(Manifest, ReadsBackWhatItWrites) {
  Manifest manifest = read(with(good_manifest, "output_hash: null", "output_hash: sha256:" + std::string(64, 'a')));

  const Node written = to_node(manifest);
  const Node again = to_node(read(to_yaml_block(written)));

  EXPECT_EQ(to_yaml_block(again), to_yaml_block(written));
  EXPECT_THAT(to_yaml_block(written), HasSubstr("\n  04_pretrain:\n    kind: pretrain\n    recipe: small\n"));
  EXPECT_THAT(to_yaml_block(written), HasSubstr("      output_hash: sha256:aaaa"));
}

TEST(Manifest, IsWhatARecordIs) {
  const std::string recorded =
      with(with(good_manifest, "    recipe: small\n",
                "    recipe: small\n    status: done\n    input_hash: sha256:00\n    output_hash: sha256:" + std::string(64, 'b') +
                    "\n    wall_clock_sec: 12.5\n    cost_usd: 0.1\n    metrics: {loss: 2.5}\n    key: x\n    measured: {}\n"),
           "reference: null\n", "reference: null\nverdict: {answer: SHIP}\ntotals: {cost_usd: 1}\n");

  const Manifest manifest = read(recorded);

  ASSERT_TRUE(manifest.stages[3].expected_output);
  EXPECT_EQ(manifest.stages[3].expected_output->hex(), std::string(64, 'b'));
  EXPECT_TRUE(manifest.stages[3].is_replayed);
  EXPECT_EQ(to_node(manifest), to_node(read(good_manifest)));   // what was recorded is no wish
}

TEST(Manifest, PrefersAnExpectationToARecordedHash) {
  const std::string both = with(with(good_manifest, "output_hash: null", "output_hash: " + std::string(64, 'c')), "    recipe: small\n",
                                "    recipe: small\n    output_hash: sha256:" + std::string(64, 'b') + "\n");

  EXPECT_EQ(read(both).stages[3].expected_output->hex(), std::string(64, 'c'));
  EXPECT_FALSE(read(both).stages[3].is_replayed);
}

TEST(Manifest, NamesTheNearestKeyForAnUnknownOne) {
  EXPECT_THAT(problems_with("budget:", "bugdet:"), ElementsAre("m.yaml:4:1: unknown key \"bugdet\". Did you mean \"budget\"?"));
  EXPECT_THAT(problems_with("\nstages:", "\nstage:"), ElementsAre("m.yaml:10:1: unknown key \"stage\". Did you mean \"stages\"?"));
  EXPECT_THAT(problems_with("cost_usd: 1.00", "cost_us: 1.00"),
              ElementsAre("m.yaml:4:10: unknown key \"cost_us\" in budget. Did you mean \"cost_usd\"?"));
  EXPECT_THAT(problems_with("weight: 2", "wieght: 2"), ElementsAre("m.yaml:7:28: unknown key \"wieght\" in sources.prose. Did you mean \"weight\"?"));
  EXPECT_THAT(problems_with("    recipe: small", "    receipe: small"),
              ElementsAre("m.yaml:16:5: unknown key \"receipe\" in 04_pretrain. Did you mean \"recipe\"?"));
  EXPECT_THAT(problems_with("size: 4096", "sise: 4096"),
              ElementsAre("m.yaml:11:81: unknown key \"sise\" in 01_vocabulary.settings. Did you mean \"size\"?"));
  EXPECT_THAT(problems_with("output_hash: null", "hash: null"),
              ElementsAre("m.yaml:20:14: unknown key \"hash\" in 04_pretrain.expect (known: output_hash)"));
}

TEST(Manifest, NamesTheNearestKindAndRecipe) {
  EXPECT_THAT(problems_with("kind: pretrain", "kind: pretrian"),
              ElementsAre("m.yaml:15:11: 04_pretrain.kind=\"pretrian\" is no kind of stage. Did you mean \"pretrain\"?"));
  EXPECT_THAT(problems_with("    kind: pretrain\n", ""), ElementsAre("m.yaml:14:3: 04_pretrain.kind is missing. Did you mean \"pretrain\"?"));
  EXPECT_THAT(problems_with("recipe: small", "recipe: smal"),
              ElementsAre("m.yaml:16:13: 04_pretrain.recipe=\"smal\" is no recipe of pretrain. Did you mean \"small\"?"));
  EXPECT_THAT(problems_with("{kind: tokenizer,", "{kind: tokenizer, recipe: x,"),
              ElementsAre("m.yaml:12:43: 02_tokenizer.recipe=\"x\" (tokenizer has no recipes)"));
}

TEST(Manifest, TellsTheCauseAloneWhereAPartCannotBeRead) {
  EXPECT_THAT(problems_of("name: a\nsources: 5\nstages: {01_vocabulary: {kind: vocabulary, inputs: {text: prose}}}\n"),
              ElementsAre(HasSubstr("m.yaml:2:10: sources=5 (must be a mapping by name)")));
  EXPECT_THAT(problems_of("name: a\nsources: {prose: 5}\nstages: {01_vocabulary: {kind: vocabulary, inputs: {text: prose}}}\n"),
              ElementsAre(HasSubstr("m.yaml:2:18: sources.prose=5 (must be a mapping of settings)")));
  EXPECT_THAT(problems_of("name: a\nsources: {prose: {path: a.txt}}\nstages: {01_vocabulary: {kind: vocabulary, inputs: 5}}\n"),
              ElementsAre(HasSubstr("m.yaml:3:52: 01_vocabulary.inputs=5 (must be a mapping")));
}

TEST(Manifest, TellsEachFaultOnce) {
  for (const auto& [from, to, problem] : std::vector<std::array<std::string, 3>>{
           {"sha256: auto", "sha256: 7", "m.yaml:7:61: sources.prose.sha256=7 (must be a text"},
           {"format: markdown", "format: [1]", "m.yaml:8:40: sources.jargon.format=[...] (must be one of"},
           {"path: prose.txt", "pth: prose.txt", "m.yaml:7:11: unknown key \"pth\" in sources.prose. Did you mean \"path\"?"},
           {"name: dev", "nmae: dev", "m.yaml:2:1: unknown key \"nmae\". Did you mean \"name\"?"},
           {"kind: pretrain", "knd: pretrain", "m.yaml:15:5: unknown key \"knd\" in 04_pretrain. Did you mean \"kind\"?"},
           {"text: [prose, jargon]}, settings", "text: [1]}, settings", "m.yaml:11:53: 01_vocabulary.inputs.text=1 (must be the name"},
           {"{vocabulary: 01_vocabulary}", "{vocabulary: [1]}", "m.yaml:12:44: 02_tokenizer.vocabulary is a list (tokenizer takes a vocabulary"},
           {"{vocabulary: 01_vocabulary}", "{a: 1}", "m.yaml:12:44: 02_tokenizer has no input \"a\" (known: vocabulary)"},
           {"output_hash: null", "output_hash: [1]", "m.yaml:20:27: 04_pretrain.expect.output_hash=[...] (must be sha256:"},
           {"seed: 7", "seed: 1e400", "m.yaml:3:7: 1e400 is beyond the range of a number"},
           {"seed: 7", "seed: *other", "m.yaml:3:7: an alias"},
           {"{path: prose.txt, weight: 2, licence: GPL, sha256: auto}", "*other", "m.yaml:7:10: an alias"}})
    EXPECT_THAT(problems_with(from, to), ElementsAre(HasSubstr(problem)));
  for (const std::string assignment :
       {"name='x", "sources='x", "stages.4=1", "stages.4.settings.width=1", "seed=1e400", "sources.prose.sha256=[1]",
        "stages.02_tokenizer.inputs={a: 1}", "stages.02_tokenizer.inputs=null", "sources.prose={}", "stages.04_pretrain={}"})
    EXPECT_THAT(problems_of(good_manifest, {assignment}), ElementsAre(testing::StartsWith("--set " + assignment + ": ")));
}

TEST(Manifest, ChecksTypesAndRangesEverywhere) {
  EXPECT_THAT(problems_with("seed: 7", "seed: -7"), ElementsAre(HasSubstr("m.yaml:3:7: seed=-7 (must be at least 0;")));
  EXPECT_THAT(problems_with("seed: 7", "seed:"), ElementsAre(HasSubstr("m.yaml:3:6: seed=null (must be a whole number;")));
  EXPECT_THAT(problems_with("pipeline_version: 1.0.0", "pipeline_version: 1.0"),
              ElementsAre(HasSubstr("m.yaml:1:19: pipeline_version=1.0 (must be a text;")));
  EXPECT_THAT(problems_with("pipeline_version: 1.0.0", "pipeline_version: 2.0.0"),
              ElementsAre("m.yaml:1:19: pipeline_version=\"2.0.0\" (this program reads 1.x, as in 1.0.0)"));
  for (const std::string version : {"1", "1.", "1..0", "1.banana", "1.0.0-rc1", "1.0.", "10.0.0"})
    EXPECT_THAT(problems_with("pipeline_version: 1.0.0", "pipeline_version: \"" + version + "\""),
                ElementsAre("m.yaml:1:19: pipeline_version=\"" + version + "\" (this program reads 1.x, as in 1.0.0)"));
  EXPECT_THAT(problems_with("name: dev", "name: ../dev"), ElementsAre(HasSubstr("m.yaml:2:7: name=\"../dev\" (must be 1 to 64 letters")));
  EXPECT_THAT(problems_with("name: dev\n", ""), ElementsAre("m.yaml:1:1: name is missing (it names the default run directory)"));
  EXPECT_THAT(problems_with("peak_tflops: auto", "peak_tflops: fast"),
              ElementsAre(HasSubstr("m.yaml:5:49: rates.peak_tflops=\"fast\" (must be a number")));
  EXPECT_THAT(problems_with("steps: 200", "steps: 0"),
              ElementsAre("m.yaml:19:14: 04_pretrain.settings.steps=0 (must be at least 1; length of the run, in steps)"));
  EXPECT_THAT(problems_with("steps: 200", "heads: 3"), ElementsAre("m.yaml:19:7: 04_pretrain.settings.width=64 (must be a multiple of heads=3)"));
  EXPECT_THAT(problems_with("output_hash: null", "output_hash: sha256:12"),
              ElementsAre(HasSubstr("m.yaml:20:27: 04_pretrain.expect.output_hash=\"sha256:12\" (must be sha256:")));
  EXPECT_THAT(problems_with("  02_tokenizer:", "  2_tokenizer:"),
              testing::Contains(HasSubstr("m.yaml:12:3: stage name \"2_tokenizer\" (must be two digits")));
  EXPECT_THAT(problems_with("model: 04_pretrain", "model: {a: 1}"),
              ElementsAre(HasSubstr("m.yaml:21:49: 10_evaluate.inputs.model={...} (must be the name of a stage")));
  EXPECT_THAT(problems_with("<= 1.00", "1.00"), ElementsAre(HasSubstr("m.yaml:26:19: gates.cost_total_usd=\"1.00\" (must begin with <=")));
}

TEST(Manifest, KnowsWhereASourcesTextIsFrom) {
  EXPECT_THAT(problems_with("path: prose.txt, ", ""), ElementsAre(HasSubstr("m.yaml:7:3: sources.prose has no text")));
  EXPECT_THAT(problems_with("tales: {", "tales: {path: x, "), ElementsAre(HasSubstr("m.yaml:9:3: sources.tales has both path and generated")));
  EXPECT_THAT(problems_with("format: markdown", "format: stories"), ElementsAre(HasSubstr("m.yaml:8:40: sources.jargon.format=\"stories\"")));
  EXPECT_THAT(problems_with("format: markdown", "format: mrkdown"), ElementsAre(HasSubstr("Did you mean \"markdown\"?")));
  EXPECT_THAT(problems_with("sha256: auto", "sha256: abc"), ElementsAre(HasSubstr("m.yaml:7:61: sources.prose.sha256=\"abc\" (must be sha256:")));
  EXPECT_THAT(problems_with("[a.md, b.md]", "[a.md, 7]"), ElementsAre(HasSubstr("m.yaml:8:25: sources.jargon.path[1]=7 (must be a text")));
}

TEST(Manifest, ReportsAllProblemsAtOnceInOrderOfPlace) {
  const std::string bad =
      with(with(with(with(good_manifest, "seed: 7", "seed: x"), "kind: pretrain", "kind: nothing"), "size: 4096", "size: 1"), "<= xz", "xz");

  EXPECT_THAT(problems_of(bad), ElementsAre(HasSubstr("m.yaml:3:7: seed"), HasSubstr("m.yaml:11:87: 01_vocabulary.settings.size=1"),
                                            HasSubstr("m.yaml:15:11: 04_pretrain.kind"), HasSubstr("m.yaml:25:18: gates.bits_per_byte")));
}

TEST(Manifest, SaysWhatIsNoManifestAtAll) {
  EXPECT_THAT(problems_of(""), ElementsAre(HasSubstr("m.yaml: the file is empty")));
  EXPECT_THAT(problems_of("- a\n"), ElementsAre(HasSubstr("m.yaml:1:1: [...] is no manifest")));
  EXPECT_THAT(problems_of("name: dev\n"), ElementsAre(HasSubstr("m.yaml:1:1: there are no stages")));
  EXPECT_THAT(problems_of("name: dev\nstages: 7\n"), ElementsAre(HasSubstr("m.yaml:2:9: stages=7 (must be a mapping by name)")));
  EXPECT_THAT(problems_of("name: dev\nstages: {01_x: 7}\n"), ElementsAre(HasSubstr("m.yaml:2:16: 01_x=7 (must be a mapping with at least kind)")));
  EXPECT_THAT(problems_of("name: [\n"), ElementsAre(HasSubstr("m.yaml:1:7: a list opened with [ is not closed")));
}

TEST(Assignment, LaysAValueOverTheManifest) {
  const Manifest manifest = read(good_manifest, {"sources.prose.path=my.txt", "stages.04_pretrain.settings.width=128", "seed=0x10",
                                                 "sources.jargon.path.1=c.md", "sources.new.generated={bytes: 10}", "gates.bits_per_byte=<= 2.0"});

  EXPECT_THAT(manifest.sources[0].path, ElementsAre("my.txt"));
  EXPECT_THAT(manifest.sources[1].path, ElementsAre("a.md", "c.md"));
  EXPECT_EQ(manifest.sources[3].name, "new");
  EXPECT_EQ(manifest.stages[3].settings.at("width").integer(), 128);
  EXPECT_EQ(manifest.seed, 16);
  EXPECT_EQ(manifest.gates[0].condition(), "<= 2");
}

TEST(Assignment, IsNamedByItsProblems) {
  EXPECT_THAT(problems_of(good_manifest, {"seed=1", "stages.04_pretrain.settings.wdith=128"}),
              ElementsAre("--set stages.04_pretrain.settings.wdith=128: unknown key \"wdith\" in 04_pretrain.settings. Did you mean \"width\"?"));
  EXPECT_THAT(problems_of(good_manifest, {"seed=-1"}), ElementsAre(HasSubstr("--set seed=-1: seed=-1 (must be at least 0")));
  EXPECT_THAT(problems_of(good_manifest, {"seed"}), ElementsAre(HasSubstr("--set seed: not an assignment")));
  EXPECT_THAT(problems_of(good_manifest, {"=1"}), ElementsAre(HasSubstr("--set =1: not an assignment")));
  EXPECT_THAT(problems_of(good_manifest, {"seed.x=1"}), ElementsAre(HasSubstr("--set seed.x=1: there is no \"x\" to set (7 holds no fields)")));
  EXPECT_THAT(problems_of(good_manifest, {"sources.jargon.path.2=x"}), ElementsAre(HasSubstr("there is no \"2\" to set (it is a list of 2")));
  for (const std::string of_record : {"record", "record_sha256", "verdict", "totals.cost_usd", "stages.04_pretrain.output_hash"})
    EXPECT_THAT(problems_of(good_manifest, {of_record + "=1"}),
                ElementsAre(HasSubstr("--set " + of_record + "=1: " + of_record + " is a key of the record")));
  for (const auto& [assignment, to_blame] :
       {std::pair<std::string, std::string>{"stages.04_pretrain={kind: pretrain, cost_usd: 0}", "stages.04_pretrain.cost_usd"},
        {"stages={04_pretrain: {kind: pretrain, status: done}}", "stages.04_pretrain.status"}})
    EXPECT_THAT(problems_of(good_manifest, {assignment}), testing::Contains(HasSubstr(assignment + ": " + to_blame + " is a key of the record")));
  EXPECT_THAT(problems_of(good_manifest, {"seed=[1"}), ElementsAre(HasSubstr("--set seed=[1: the value: a list opened with [ is not closed")));
}

}   // namespace
}   // namespace lastro
