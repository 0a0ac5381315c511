// A manifest: reading ends, each problem says where and what, and a manifest without problems is written back as one that reads equal.
#include "core/manifest.h"

#include "core/yaml.h"
#include "fuzz_target.h"
#include "tests/core/manifest_examples.h"
#include "tests/core/toy_stages.h"

namespace lastro {
namespace {

// Only about a file as a whole (it is empty, or too large) is there no line.
bool has_place(const Problem& problem, std::string_view text) {
  return problem.mark.line > 0 || text.size() > 1000000 || problem.message.find("the file is empty") == 0;
}

}   // namespace

void must_hold_for(std::string_view bytes) {
  static const StageRegistry registry = toy::registry();
  Problems problems;
  const Manifest manifest = read_manifest(bytes, "fuzzed.yaml", {}, registry, problems);
  for (const Problem& problem : problems) require(!problem.message.empty() && has_place(problem, bytes));
  if (!problems.empty()) return;

  const Node written = to_node(manifest);
  const Manifest again = read_manifest(to_yaml_block(written), "again.yaml", {}, registry, problems);
  require(problems.empty());
  require(to_node(again) == written);
}

std::vector<std::string> good_inputs() { return {good_manifest}; }

}   // namespace lastro
