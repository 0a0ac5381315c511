#include "core/diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/yaml.h"

namespace lastro {
namespace {

using testing::ElementsAre;

Node read(const std::string& text) {
  Problems problems;
  return parse_yaml(text, "r", problems);
}

std::vector<std::string> texts(const std::vector<Difference>& found) {
  std::vector<std::string> texts;
  for (const Difference& difference : found) texts.push_back(difference.to_string());
  return texts;
}

TEST(Differences, AreTheLeavesThatDiffer) {
  EXPECT_THAT(texts(differences(read("{a: {b: 1, c: 2}, d: [1, 2], e: x}"), read("{a: {b: 1, c: 3}, d: [1, 3], f: y}"))),
              ElementsAre("a.c was 2, is 3", "d[1] was 2, is 3", "e was \"x\", is gone", "f is new (\"y\")"));
  EXPECT_THAT(texts(differences(read("{a: [1]}"), read("{a: [1, 2]}"))), ElementsAre("a was [...], is [...]"));
  EXPECT_THAT(texts(differences(read("{a: 1, b: 2}"), read("{b: 2, a: 1}"))), ElementsAre());
}

TEST(RecordDifferences, LeaveOutTimeAndCost) {
  const std::string record =
      "{name: dev, stages: {01_x: {kind: x, status: done, output_hash: a, wall_clock_sec: 1.5, cost_usd: 1, metrics: {loss: 2.5}, measured: "
      "{tokens_per_s: 9}}}, "
      "verdict: {answer: SHIP, time: 1}, totals: {cost_usd: 1}}";
  const std::string slower =
      "{name: dev, stages: {01_x: {kind: x, from_store: true, output_hash: a, wall_clock_sec: 2.5, cost_usd: 2, metrics: {loss: 2.5}, measured: "
      "{tokens_per_s: 3}}}, "
      "verdict: {answer: SHIP, time: 2}, totals: {cost_usd: 2}}";
  const std::string other = "{name: dev, stages: {01_x: {kind: x, status: done, output_hash: b, metrics: {loss: 2.6}}}, verdict: {answer: HOLD}}";

  EXPECT_THAT(texts(record_differences(read(record), read(slower))), ElementsAre());
  EXPECT_THAT(texts(record_differences(read(record), read(other))),
              ElementsAre("stages.01_x.output_hash was \"a\", is \"b\"", "stages.01_x.metrics.loss was 2.5, is 2.6",
                          "verdict.answer was \"SHIP\", is \"HOLD\""));
}

}   // namespace
}   // namespace lastro
