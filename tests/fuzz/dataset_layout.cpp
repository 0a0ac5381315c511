// A dataset's dataset.json: it is refused, or gives a layout that is written back as one that reads equal, whose shards, which are not there, are
// missed.
#include "data/dataset_layout.h"

#include "core/hash.h"
#include "core/json.h"
#include "data/token_shards.h"
#include "fuzz_target.h"

namespace lastro {
namespace {

std::string text_of(const DatasetLayout& layout) {
  Node node = Node::mapping();
  node.set("layout", to_node(layout));
  return to_json_pretty(node);
}

}   // namespace

void must_hold_for(std::string_view bytes) {
  fuzz_file("dataset.json", bytes);
  reads_or_refuses([] {
    const DatasetLayout layout = read_dataset_layout(fuzz_folder());
    fuzz_file("dataset.json", text_of(layout));
    require(read_dataset_layout(fuzz_folder()) == layout);
    try {
      for (const ShardedSource& source : layout.train) require(TokenShards(fuzz_folder(), layout, source).tokens() == 0);
    } catch (const EnvironmentError&) {}
  });
}

std::vector<std::string> good_inputs() {
  const Shard shard{"train/prose-00000", 100, 3, 420, sha256("tokens"), sha256("index")};
  return {text_of(
      {.vocabulary_size = 512, .tokenizer = sha256("tokenizer"), .train = {{"prose", 2.0, {shard, shard}}}, .held_out = {{"prose", 2.0, {}}}})};
}

}   // namespace lastro
