#include "core/gatekeeper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace lastro {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

Gate gate(const std::string& measurement, const char* condition) {
  Problems problems;
  const auto parsed = parse_gate(measurement, Node(condition), "m.yaml", problems);
  for (const Problem& problem : problems) ADD_FAILURE() << problem.to_string();
  return parsed.value_or(Gate{});
}

std::string refusal(Node condition) {
  condition.mark = {9, 12};
  Problems problems;
  EXPECT_EQ(parse_gate("bits_per_byte", condition, "m.yaml", problems), std::nullopt);
  return problems.size() == 1 ? problems[0].to_string() : "";
}

std::string answer(const char* condition, double value, Measurements others = {}, const Measurements& baseline = {}) {
  others["x"] = value;
  return judge({gate("x", condition)}, others, baseline).to_string();
}

TEST(Gate, ReadsEachFormItsGrammarHas) {
  EXPECT_EQ(gate("x", "<= 25.0").condition(), "<= 25");
  EXPECT_EQ(gate("x", ">=baseline+0.5").condition(), ">= baseline + 0.5");
  EXPECT_EQ(gate("x", "<= baseline - 1 %").condition(), "<= baseline - 1 %");
  EXPECT_EQ(gate("x", "< xz").condition(), "< xz");
  EXPECT_EQ(gate("x", "> five_gram.bits_per_byte - 1e-3").condition(), "> five_gram.bits_per_byte - 0.001");
  EXPECT_EQ(gate("x", "== -3").condition(), "== -3");
}

TEST(Gate, SaysWhatAConditionLacks) {
  EXPECT_THAT(refusal("25"),
              HasSubstr("m.yaml:9:12: gates.bits_per_byte=\"25\" (must begin with <=, >=, <, > or ==) as in bits_per_byte: \"<= 25.0\""));
  EXPECT_THAT(refusal(25), HasSubstr("gates.bits_per_byte=25 (must be a comparison in quotes)"));
  EXPECT_THAT(refusal(Node()), HasSubstr("gates.bits_per_byte=null (must be a comparison in quotes)"));
  EXPECT_THAT(refusal("<="), HasSubstr("(needs a number, baseline or the name of a measurement"));
  EXPECT_THAT(refusal("<= baseline 0.5"), HasSubstr("(may add + or - and a number to baseline)"));
  EXPECT_THAT(refusal("<= baseline + -1"), HasSubstr("(may add + or - and a number to baseline)"));
  EXPECT_THAT(refusal("<= baseline + 1 % x"), HasSubstr("(goes on where it should end)"));
  EXPECT_THAT(refusal("<= 5 %"), HasSubstr("(goes on where it should end)"));
  EXPECT_THAT(refusal("<= 1e999"), HasSubstr("(needs a number"));
  EXPECT_THAT(refusal("<= bits_per_byte + 1"), HasSubstr("(compares it with itself"));
}

TEST(Gatekeeper, ShipsWhatHoldsAtItsBoundToo) {
  EXPECT_EQ(answer("<= 25.0", 25.0), "SHIP");
  EXPECT_EQ(answer("< 25.0", 25.0), "HOLD: x=25.0 (must be < 25)");
  EXPECT_EQ(answer(">= 25.0", 25.0), "SHIP");
  EXPECT_EQ(answer("> 25.0", 25.0), "HOLD: x=25.0 (must be > 25)");
  EXPECT_EQ(answer("== 25.0", 25.0), "SHIP");
  EXPECT_EQ(answer("== 25.0", 24.0), "HOLD: x=24.0 (must be == 25)");
}

TEST(Gatekeeper, ComparesWithTheBaselineAndWithNamedMeasurements) {
  EXPECT_EQ(answer(">= baseline + 0.5", 3.5, {}, {{"x", 3.0}}), "SHIP");
  EXPECT_EQ(answer(">= baseline + 0.5", 3.4, {}, {{"x", 3.0}}), "HOLD: x=3.4 (must be >= baseline + 0.5, which is 3.5)");
  EXPECT_EQ(answer("<= baseline - 10 %", 1.8, {}, {{"x", 2.0}}), "SHIP");
  EXPECT_EQ(answer("<= baseline - 10 %", 1.9, {}, {{"x", 2.0}}), "HOLD: x=1.9 (must be <= baseline - 10 %, which is 1.8)");
  EXPECT_EQ(answer("<= baseline + 10 %", -1.8, {}, {{"x", -2.0}}), "SHIP");   // of its size: -2 + 0.2
  EXPECT_EQ(answer("<= xz", 2.13, {{"xz", 1.67}}), "HOLD: x=2.13 (must be <= xz, which is 1.67)");
}

TEST(Gatekeeper, HoldsWhatWasNotMeasured) {
  EXPECT_EQ(judge({gate("y", "<= 1")}, {}, {}).to_string(), "HOLD: y was not measured (must be <= 1)");
  EXPECT_EQ(answer("<= xz", 1.0), "HOLD: x=1.0 (must be <= xz, and xz was not measured)");
  EXPECT_EQ(answer("<= baseline", 1.0), "HOLD: x=1.0 (must be <= baseline, and the baseline report has no x)");
  EXPECT_EQ(answer("<= 1", std::nan("")), "HOLD: x=nan (must be <= 1)");
  EXPECT_EQ(answer(">= 1", std::nan("")), "HOLD: x=nan (must be >= 1)");
}

TEST(Gatekeeper, NamesEveryGateThatFails) {
  const Verdict verdict = judge({gate("a", "<= 1"), gate("b", "<= 1"), gate("c", "<= 1")}, {{"a", 2}, {"b", 1}, {"c", 3}}, {});

  EXPECT_EQ(verdict.to_string(), "HOLD: a=2.0 (must be <= 1); c=3.0 (must be <= 1)");
  EXPECT_TRUE(verdict.gates[1].passed);
}

TEST(Gatekeeper, ShipsWithoutGates) { EXPECT_EQ(judge({}, {}, {}).to_string(), "SHIP"); }

TEST(Measurements, AreATreesNumbersByTheirPath) {
  Node tree = Node::mapping();
  tree.set("a", 1);
  tree.set("b", Node::mapping()).set("c", 0.5);
  tree.set("ok", true);
  tree.set("text", "no");

  EXPECT_EQ(measurements_of(tree), (Measurements{{"a", 1.0}, {"b.c", 0.5}, {"ok", 1.0}}));
}

}   // namespace
}   // namespace lastro
