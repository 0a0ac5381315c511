// What must hold for any bytes taken as a manifest: reading ends, each problem says where and what, and a manifest without problems is written
// back as one that reads equal.
// With clang: -fsanitize=fuzzer,address. With g++ the tests of core run it over a seeded corpus.
#include "core/manifest.h"
#include "core/yaml.h"
#include "tests/core/toy_stages.h"

namespace {

using namespace lastro;

void require(bool holds) {
  if (!holds) __builtin_trap();
}

// Only about a file as a whole (it is empty, or too large) is there no line.
bool has_place(const Problem& problem, std::string_view text) {
  return problem.mark.line > 0 || text.size() > 1000000 || problem.message.find("the file is empty") == 0;
}

}   // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const StageRegistry registry = toy::registry();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Problems problems;
  const Manifest manifest = read_manifest(text, "fuzzed.yaml", {}, registry, problems);
  for (const Problem& problem : problems) require(!problem.message.empty() && has_place(problem, text));
  if (!problems.empty()) return 0;

  const Node written = to_node(manifest);
  const Manifest again = read_manifest(to_yaml_block(written), "again.yaml", {}, registry, problems);
  require(problems.empty());
  require(to_node(again) == written);
  return 0;
}
