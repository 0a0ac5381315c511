#include "core/record_text.h"

#include <gmock/gmock.h>

#include "core/manifest.h"
#include "core/yaml.h"
#include "tests/core/manifest_examples.h"
#include "tests/core/toy_stages.h"

namespace lastro {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

Node tree_of(const std::string& text) {
  Problems problems;
  Node tree = parse_yaml(text, "r.yaml", problems);
  EXPECT_TRUE(problems.empty());
  return tree;
}

// The good manifest as a finished run records it.
const std::string& record() {
  static const std::string text = [] {
    Node tree = tree_of(good_manifest);
    Node stages = Node::mapping();
    for (Entry stage : tree.at("stages").entries()) {
      stage.value.set("status", "done");
      stage.value.set("output_hash", "sha256:" + std::string(64, 'b'));
      stage.value.set("key", "sha256:" + std::string(64, 'c'));
      stages.set(stage.key, stage.value);
    }
    tree.set("stages", stages);
    tree.set("verdict", tree_of("{answer: SHIP, gates: []}"));
    return to_record_text(tree);
  }();
  return text;
}

Manifest read(const std::string& text, Problems& problems) { return read_manifest(text, "r.yaml", {}, toy::registry(), problems); }

TEST(RecordText, IsWholeAsItWasWritten) {
  EXPECT_EQ(state_of_record(record()), RecordState::whole);
  EXPECT_THAT(record(), AllOf(testing::StartsWith("record: "), HasSubstr("\n  04_pretrain:\n"), HasSubstr("\nrecord_sha256: sha256:")));
}

TEST(RecordText, ShowsEveryCut) {
  for (std::size_t bytes = std::string_view("record:").size(); bytes < record().size(); ++bytes)
    ASSERT_EQ(state_of_record(record().substr(0, bytes)), RecordState::cut_off) << "after " << bytes << " bytes";
}

TEST(RecordText, ShowsEveryLineThatIsGoneAndEveryByteThatChanged) {
  const std::size_t seal = record().rfind("record_sha256");
  for (std::size_t begin = 0; begin < seal; begin = record().find('\n', begin) + 1) {
    std::string less = record();
    less.erase(begin, less.find('\n', begin) + 1 - begin);
    ASSERT_EQ(state_of_record(less), RecordState::edited) << record().substr(begin, record().find('\n', begin) - begin);
  }
  for (std::size_t at = 0; at + 1 < record().size(); ++at) {
    std::string changed = record();
    changed[at] ^= 1;
    ASSERT_NE(state_of_record(changed), RecordState::whole) << "at " << at;
  }
}

TEST(RecordText, IsNotWhatAManifestIs) { EXPECT_EQ(state_of_record(good_manifest), RecordState::none); }

TEST(RecordText, IsAManifestWhileItIsWhole) {
  Problems problems;
  const Manifest manifest = read(record(), problems);

  EXPECT_THAT(problems, testing::IsEmpty());
  EXPECT_FALSE(manifest.is_edited_record);
  EXPECT_EQ(manifest.stages[3].expected_output->hex(), std::string(64, 'b'));
}

TEST(RecordText, IsNoManifestOfASmallerRunWhenItIsCut) {
  for (std::size_t end = record().find('\n'); end + 1 < record().size(); end = record().find('\n', end + 1)) {
    Problems problems;
    read(record().substr(0, end + 1), problems);
    ASSERT_THAT(problems, ElementsAre(testing::Field(&Problem::message, AllOf(HasSubstr("cut off"), HasSubstr("record_sha256"))))) << end;
  }
}

TEST(RecordText, IsANewManifestWhenItIsEdited) {
  Problems problems;
  const Manifest manifest = read(with(record(), "size: 4096", "size: 4097"), problems);

  EXPECT_THAT(problems, testing::IsEmpty());
  EXPECT_TRUE(manifest.is_edited_record);
  EXPECT_EQ(manifest.stages[0].recorded_key->hex(), std::string(64, 'c'));
}

}   // namespace
}   // namespace lastro
