#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>

#include "app/planning.h"
#include "app/wiring.h"
#include "core/files.h"
#include "core/json.h"
#include "core/manifest.h"
#include "core/reference.h"
#include "tests/support/temporary_folder.h"

namespace lastro {
namespace {

namespace fs = std::filesystem;

const fs::path manifests = fs::path(LASTRO_SOURCE_DIR) / "manifests";

std::vector<fs::path> committed_manifests() {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(manifests))
    if (entry.path().extension() == ".yaml") found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

// What stands between the two marker lines, without the blank lines beside them.
std::string between_markers(const std::string& page) {
  const std::string begin = "<!-- lastro reference begins -->\n\n", end = "\n<!-- lastro reference ends -->\n";
  const std::size_t from = page.find(begin), to = page.find(end);
  if (from == std::string::npos || to == std::string::npos) return "manifests/README.md has lost a marker line";
  return page.substr(from + begin.size(), to - from - begin.size());
}

TEST(Manifests, ReadmeHoldsTheGeneratedReference) {
  EXPECT_EQ(between_markers(read_file(manifests / "README.md")), manifest_reference(stage_kinds())) << "run tools/write-reference";
}

TEST(Manifests, SchemaIsTheGeneratedOne) {
  const Node committed = parse_json(read_file(manifests / "manifest.schema.json"), "manifest.schema.json");

  EXPECT_EQ(to_json_pretty(committed), to_json_pretty(manifest_schema(stage_kinds()))) << "run tools/write-reference";
}

TEST(Manifests, AreAtLeastTheThreeThatTheReadmeNames) {
  const std::string readme = read_file(manifests / "README.md");
  for (const fs::path& manifest : committed_manifests()) EXPECT_THAT(readme, testing::HasSubstr("`" + manifest.filename().string() + "`"));
  EXPECT_GE(committed_manifests().size(), 3u);
}

// Texts are fetched by the set-up or given by the user, so a file of the test's own stands in for each.
TEST(Manifests, EachOnePlansWithinItsBudget) {
  const TemporaryFolder folder;
  std::ofstream(folder / "text.txt") << "It is a truth universally acknowledged.\n";
  for (const fs::path& file : committed_manifests()) {
    SCOPED_TRACE(file.string());
    Problems problems;
    const Manifest manifest = read_manifest(read_file(file), file.string(), {}, stage_kinds(), problems);
    EXPECT_TRUE(problems.empty()) << lines_of(problems);
    Invocation invocation{.subject = file, .run = folder / "run", .store = folder / "store"};
    for (const SourceSpec& source : manifest.sources)
      if (!source.generated) invocation.sets.push_back("sources." + source.name + ".path=" + (folder / "text.txt").string());

    const Planned planned = RunPlanner(invocation).plan();

    EXPECT_EQ(planned.plan.stages.size(), manifest.stages.size());
    EXPECT_THAT(planned.excesses, testing::IsEmpty());
  }
}

}   // namespace
}   // namespace lastro
