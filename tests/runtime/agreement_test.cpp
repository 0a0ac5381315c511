#include "runtime/agreement.h"

#include <gmock/gmock.h>

#include "core/hash.h"
#include "domain/errors.h"
#include "infra/threads/threads_collective.h"

namespace lastro {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::vector<NamedFile> files{{"store/a", sha256("a")}, {"store/b", sha256("b")}, {"store/c", sha256("c"), "make it again"}};

Witness honest() {
  return {.files_in = [](std::string_view) { return files; },
          .hash_plan = [](std::string_view plan) { return sha256(plan); },
          .hash_binary = [] { return sha256("binary"); },
          .read_nonce = [] { return std::string("nonce"); },
          .hash_file = [](const std::string& path) { return sha256(path.substr(path.size() - 1)); }};
}

// What every rank reports when rank `odd` looks through `eyes`; "" where it agrees.
std::vector<std::string> reports(int ranks, int odd, const Witness& eyes) {
  std::vector<std::string> texts(ranks);
  run_as_ranks(ranks, [&](Collective& collective) {
    const int rank = collective.rank().value;
    try {
      EXPECT_EQ(agree_on(collective, collective.is_root() ? "the plan" : "", collective.is_root() ? "nonce" : "", rank == odd ? eyes : honest()),
                "the plan");
    } catch (const ContractError& error) {
      texts[rank] = error.what();
    }
  });
  return texts;
}

class Agreement : public testing::TestWithParam<int> {};
class AgreementOfSeveral : public Agreement {};   // one rank cannot differ from itself

TEST_P(Agreement, HoldsAmongHonestRanks) { EXPECT_THAT(reports(GetParam(), -1, honest()), testing::Each("")); }

TEST_P(AgreementOfSeveral, NamesTheRankWhosePlanArrivedBroken) {
  const int odd = GetParam() - 1;
  Witness eyes = honest();
  eyes.hash_plan = [](std::string_view) { return sha256("another plan"); };

  EXPECT_THAT(reports(GetParam(), odd, eyes),
              testing::Each(AllOf(HasSubstr("rank " + std::to_string(odd)), HasSubstr("plan"), HasSubstr(sha256("the plan").to_string()),
                                  HasSubstr(sha256("another plan").to_string()))));
}

TEST_P(AgreementOfSeveral, NamesTheRankThatRunsAnotherProgram) {
  const int odd = GetParam() - 1;
  Witness eyes = honest();
  eyes.hash_binary = [] { return sha256("old binary"); };

  EXPECT_THAT(reports(GetParam(), odd, eyes),
              testing::Each(AllOf(HasSubstr("rank " + std::to_string(odd)), HasSubstr("program"), HasSubstr(sha256("old binary").to_string()))));
}

TEST_P(Agreement, NamesTheRankThatDoesNotShareTheFolder) {
  const int odd = GetParam() - 1;
  Witness eyes = honest();
  eyes.read_nonce = [] { return std::string("an old nonce"); };

  EXPECT_THAT(reports(GetParam(), odd, eyes), testing::Each(AllOf(HasSubstr("rank " + std::to_string(odd)), HasSubstr("run directory"))));
}

TEST_P(Agreement, NamesRankAndFileOfADamagedInput) {
  const int odd = GetParam() - 1;
  Witness eyes = honest();
  eyes.hash_file = [](const std::string&) { return sha256("damage"); };

  EXPECT_THAT(reports(GetParam(), odd, eyes), testing::Each(AllOf(HasSubstr("rank " + std::to_string(odd)), HasSubstr(files[odd % 3].path),
                                                                  HasSubstr(sha256("damage").to_string()), HasSubstr(files[odd % 3].remedy))));
}

TEST_P(Agreement, CarriesARanksOwnErrorToAll) {
  Witness eyes = honest();
  eyes.hash_file = [](const std::string& path) -> Digest { throw EnvironmentError(path + " cannot be read"); };

  EXPECT_THAT(reports(GetParam(), GetParam() - 1, eyes), testing::Each(AllOf(HasSubstr("cannot be read"), HasSubstr(files[GetParam() - 1].remedy))));
}

INSTANTIATE_TEST_SUITE_P(Ranks, Agreement, testing::Values(1, 2, 3));   // each has a file
INSTANTIATE_TEST_SUITE_P(Ranks, AgreementOfSeveral, testing::Values(2, 3, 4));

}   // namespace
}   // namespace lastro
