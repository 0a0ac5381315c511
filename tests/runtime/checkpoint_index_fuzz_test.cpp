#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "core/hash.h"
#include "core/json.h"
#include "core/random.h"
#include "runtime/checkpoint_index.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace lastro {
namespace {

void feed(const std::string& text) { LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()); }

// Of two ranks, three units and one plane, the last unit has one tile, which is rank 1's.
std::string good_index() {
  CheckpointIndex index;
  index.stage_key = sha256("key");
  index.step = Step{120};
  index.world = 2;
  index.layout = {.units = {{"embedding", 100}, {"block-00", 40}, {"head", 8}}, .planes = {"weights"}, .tile_elements = 16};
  index.scalars.set("step", 120);
  index.scalars.set("loss", 2.5);
  index.roots = {{sha256("a"), sha256("b"), sha256("c")}};
  for (int rank = 0; rank < 2; ++rank) {
    ShardRecord shard{.file = shard_file_name(rank, 2), .sha256 = sha256("shard"), .structure = sha256("structure")};
    shard.places.file_bytes = 4096;
    shard.places.tile_digests = 2048;
    shard.places.data = {{0, 512, rank == 1 ? 1024 : -1}};
    index.shards.push_back(shard);
  }
  index.content = content_digest(index.step, index.scalars, index.roots);
  return to_text(index);
}

// A change that keeps the seal true lets the fuzzer past the first check.
std::string sealed_again(const std::string& text) {
  const std::size_t seal = text.rfind("\"self_sha256\"");
  if (seal == std::string::npos) return text;
  try {
    Node tree = parse_json(text, "fuzzed");
    Node content = Node::mapping();
    for (const Entry& entry : tree.entries())
      if (entry.key != "self_sha256") content.set(entry.key, entry.value);
    const std::string digest = sha256(to_json_pretty(content)).to_string();
    content.set("self_sha256", digest);
    return to_json_pretty(content);
  } catch (const std::exception&) {
    return text;
  }
}

std::string mutated(std::uint64_t seed) {
  const std::string_view tokens[] = {"0",   "-1",  "9223372036854775807", "1e300", "null", "[]", "{}", "\"\"", "true", ",", "]", "}", "\"", "16",
                                     "0.5", "\xFF"};
  std::string text = good_index();
  std::uint64_t drawn = 0;
  const auto draw = [&](std::uint64_t below) { return random_u64(seed, Purpose::test, drawn++) % below; };
  for (std::uint64_t left = 1 + draw(3); left > 0; --left) {
    const std::size_t at = draw(text.size());
    switch (draw(4)) {
      case 0: text.erase(at, draw(20)); break;
      case 1: text.insert(at, tokens[draw(std::size(tokens))]); break;
      case 2: text.replace(at, 1, tokens[draw(std::size(tokens))]); break;
      default: {   // a whole number gives way to another value
        const std::size_t digit = text.find_first_of("0123456789", at), end = text.find_first_not_of("0123456789", digit);
        if (digit != std::string::npos && end != std::string::npos) text.replace(digit, end - digit, tokens[draw(std::size(tokens))]);
      }
    }
    if (text.empty()) return text;
  }
  return text;
}

TEST(CheckpointIndexFuzz, TakesAGoodIndex) {
  EXPECT_NO_THROW(parse_index(good_index(), "index.json"));
  feed(good_index());
}

TEST(CheckpointIndexFuzz, TakesMutationsOfAGoodIndex) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    feed(mutated(seed));
    feed(sealed_again(mutated(seed)));
  }
}

TEST(CheckpointIndexFuzz, TakesEveryBeginningOfAGoodIndex) {
  const std::string text = good_index();
  for (std::size_t length = 0; length < text.size(); length += 3) feed(text.substr(0, length));
}

}   // namespace
}   // namespace lastro
