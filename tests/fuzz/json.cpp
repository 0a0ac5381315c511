// JSON: reading ends, and either refuses the bytes or gives a tree whose text, in both forms, reads as an equal tree.
#include "core/json.h"

#include "fuzz_target.h"

namespace lastro {

void must_hold_for(std::string_view bytes) {
  reads_or_refuses([&] {
    const Node tree = parse_json(bytes, "fuzzed");
    require(parse_json(to_json(tree), "one line") == tree);
    require(parse_json(to_json_pretty(tree), "several lines") == tree);
  });
}

std::vector<std::string> good_inputs() {
  return {R"({"a": [1, -2.5e-3, 18446744073709551616, true, null], "\u00e9\ud83d\ude00\"\\": {"": "x\ty"}, "b": [[], {}, 0.1]})"};
}

}   // namespace lastro
