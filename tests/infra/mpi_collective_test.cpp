#include <gtest/gtest.h>

#include "contracts/collective_contract.h"
#include "support/mpi_main.h"

namespace lastro {
namespace {

using contract::collective_cases;
using contract::CollectiveCase;

class MpiCollectiveContract : public testing::TestWithParam<CollectiveCase> {};

TEST_P(MpiCollectiveContract, Holds) {
  const auto ranks = session_of_test().ranks();
  GetParam().check(*ranks);
}

TEST_P(MpiCollectiveContract, HoldsInTheBackground) {
  const auto ranks = session_of_test().background_ranks();
  GetParam().check(*ranks);
}

INSTANTIATE_TEST_SUITE_P(Collective, MpiCollectiveContract, testing::ValuesIn(collective_cases),
                         [](const auto& info) { return std::string(info.param.name); });

}   // namespace
}   // namespace lastro
