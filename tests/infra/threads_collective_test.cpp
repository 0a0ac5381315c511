#include "infra/threads/threads_collective.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "contracts/collective_contract.h"
#include "infra/self/self_collective.h"

namespace lastro {
namespace {

using contract::collective_cases;
using contract::CollectiveCase;

class SelfCollectiveContract : public testing::TestWithParam<CollectiveCase> {};
TEST_P(SelfCollectiveContract, Holds) {
  SelfCollective alone;
  GetParam().check(alone);
}
INSTANTIATE_TEST_SUITE_P(Collective, SelfCollectiveContract, testing::ValuesIn(collective_cases),
                         [](const auto& info) { return std::string(info.param.name); });

class ThreadsCollectiveContract : public testing::TestWithParam<std::tuple<CollectiveCase, int>> {};
TEST_P(ThreadsCollectiveContract, Holds) {
  const auto& [one, ranks] = GetParam();
  run_as_ranks(ranks, one.check);
}
INSTANTIATE_TEST_SUITE_P(Collective, ThreadsCollectiveContract, testing::Combine(testing::ValuesIn(collective_cases), testing::Range(1, 5)),
                         [](const auto& info) { return std::string(std::get<0>(info.param).name) + "On" + std::to_string(std::get<1>(info.param)); });

TEST(ThreadsCollective, ReleasesTheOthersWhenARankThrows) {
  for (int culprit = 0; culprit < 3; ++culprit) {
    const auto body = [&](Collective& ranks) {
      ranks.barrier();
      if (ranks.rank().value == culprit) throw std::runtime_error("rank " + std::to_string(culprit) + " has had enough");
      ranks.split(0)->barrier();
    };

    try {
      run_as_ranks(3, body);
      FAIL() << "the exception was lost";
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(std::string(error.what()), "rank " + std::to_string(culprit) + " has had enough");
    }
  }
}

TEST(ThreadsCollective, ReleasesRanksThatWaitInASplit) {
  const auto body = [&](Collective& ranks) {
    const auto part = ranks.split(ranks.rank().value == 2 ? 1 : 0);
    if (ranks.rank().value == 2) throw std::runtime_error("gone");
    part->barrier();
    ranks.barrier();
  };

  EXPECT_THROW(run_as_ranks(3, body), std::runtime_error);
}

}   // namespace
}   // namespace lastro
