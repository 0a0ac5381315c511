#include <gmock/gmock.h>

#include <cmath>
#include <fstream>

#include "core/files.h"
#include "core/json.h"
#include "infra/threads/threads_collective.h"
#include "kernels/blend.h"
#include "stages/footprint.h"
#include "tests/kernels/support.h"
#include "tests/support/memory_checkpoints.h"
#include "tests/support/temporary_folder.h"

namespace lastro {
namespace {

namespace fs = std::filesystem;

TEST(StageOfContributing, IsPlannedAndRunLikeAnyOther) {
  const TemporaryFolder folder;
  fs::create_directories(folder / "dataset");
  fs::create_directories(folder / "output");
  std::ofstream(folder / "dataset/a") << "12345";
  std::ofstream(folder / "dataset/b") << "1";
  StageRegistry kinds;
  register_stage<FootprintStage>(kinds);
  const StageKind& kind = *kinds.find("footprint");
  Problems problems;
  Node given;
  given.set("block_bytes", 4);
  const Node settings = kind.parse(given, "", {"m.yaml", "11_footprint.settings", {}}, problems);
  const ResolvedInputs inputs{{"dataset", ResolvedArtifact{ArtifactType::dataset, Digest{}, folder / "dataset"}, {}}};

  run_as_ranks(3, [&](Collective& ranks) {
    OneWorker workers;
    SilentTracker tracker;
    test::CheckpointMemory memory;
    test::MemoryCheckpoints checkpoints(ranks, memory);
    RunContext run{.ranks = ranks, .workers = workers, .tracker = tracker, .seed = 1, .stage_key = {}, .output = folder / "output", .work = folder / "work",
                   .checkpoints = checkpoints, .memory_limit_bytes = 0, .stop_requested = [] { return false; }};

    EXPECT_EQ(to_json(kind.run(run, settings, inputs).summary), "{\"files\":2,\"bytes\":12}");
  });

  EXPECT_TRUE(problems.empty());
  EXPECT_EQ(parse_json(read_file(folder / "output/report.json"), "report.json").at("bytes"), Node(12));
}

TEST(KernelOfContributing, GivesEqualBitsOnEveryPath) {
  using namespace kernels;
  const std::int64_t rows = 3, columns = 37;
  const std::vector<float> x = test_numbers(1, rows * columns), y = test_numbers(2, rows * columns);
  for (const CpuPath path : all_cpu_paths) {
    if (!processor_has(path)) continue;
    const CpuPathInForce forced(path);
    const FlushingDenormals flushing;
    for (const int threads : {1, 2}) {
      std::vector<float> made = y;
      PlainThreads workers(threads);
      const std::uint64_t pieces = executed_pieces(path);

      blend(workers, ConstMatrix(x.data(), rows, columns), 0.3f, Matrix(made.data(), rows, columns));

      EXPECT_GT(executed_pieces(path), pieces);
      for (std::size_t i = 0; i < made.size(); ++i) {
        const float wanted = std::fma(0.3f, x[i], y[i]);
        ASSERT_EQ(std::bit_cast<std::uint32_t>(made[i]), std::bit_cast<std::uint32_t>(wanted)) << name_of(path) << ' ' << i;
      }
    }
  }
}

// Each ```cpp block of CONTRIBUTING.md that begins with "// tests/house/examples/FILE" is that file.
TEST(Contributing, ShowsTheFilesThatAreCompiledHere) {
  const fs::path root = LASTRO_SOURCE_DIR;
  const std::string page = read_file(root / "CONTRIBUTING.md");
  std::vector<std::string> shown;
  const std::string open = "```cpp\n// tests/house/examples/";
  for (std::size_t at = page.find(open); at != std::string::npos; at = page.find(open, at + 1)) {
    const std::size_t name = at + 10, text = page.find('\n', name) + 1, end = page.find("\n```\n", text) + 1;
    const std::string file = page.substr(name, text - 1 - name);
    shown.push_back(file);
    EXPECT_EQ(page.substr(text, end - text), read_file(root / file)) << file;
  }
  for (const auto& entry : fs::recursive_directory_iterator(root / "tests/house/examples")) {
    const std::string file = fs::relative(entry.path(), root).generic_string();
    const bool is_source = entry.is_regular_file() && (file.ends_with(".h") || file.ends_with(".cpp"));
    if (!is_source || file.ends_with("_test.cpp")) continue;
    EXPECT_THAT(shown, testing::Contains(file)) << "CONTRIBUTING.md does not show it";
  }
}

}  // namespace
}  // namespace lastro
