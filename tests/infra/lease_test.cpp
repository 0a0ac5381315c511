#include "infra/posix/lease.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>

#include "domain/errors.h"
#include "tests/support/temporary_folder.h"

namespace lastro {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

std::string message_of(const std::filesystem::path& run) {
  try {
    Lease second(run, 100ms);
    return "";
  } catch (const EnvironmentError& error) {
    return error.what();
  }
}

TEST(Lease, NamesItsHolderToASecondRun) {
  const TemporaryFolder folder;
  const Lease first(folder / "run", 0ms);

  EXPECT_THAT(message_of(folder / "run"), HasSubstr("process " + std::to_string(::getpid())));
}

TEST(Lease, IsSharedByManyUntilOneIsToBeAlone) {
  const TemporaryFolder folder;
  const auto refused = [&](Lease::Kind kind) {
    try {
      Lease more(folder / "store", 100ms, kind);
      return false;
    } catch (const EnvironmentError&) {
      return true;
    }
  };
  {
    const Lease one(folder / "store", 0ms, Lease::Kind::shared), two(folder / "store", 0ms, Lease::Kind::shared);
    EXPECT_TRUE(refused(Lease::Kind::alone));
    EXPECT_FALSE(refused(Lease::Kind::shared));
    EXPECT_FALSE(Lease::holder(folder / "store"));
  }
  const Lease alone(folder / "store", 0ms);
  EXPECT_TRUE(refused(Lease::Kind::shared));
  EXPECT_THAT(Lease::holder(folder / "store").value_or(""), HasSubstr("process " + std::to_string(::getpid())));
}

TEST(Lease, EndsWithItsHolder) {
  const TemporaryFolder folder;
  std::optional<Lease> first(std::in_place, folder / "run", 0ms);

  first.reset();

  EXPECT_EQ(message_of(folder / "run"), "");
}

TEST(Lease, EndsWithAKilledHolder) {
  const TemporaryFolder folder;
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t holder = ::fork();
  if (holder == 0) {
    const Lease lease(folder / "run", 0ms);
    [[maybe_unused]] const auto told = ::write(ready[1], "x", 1);
    ::pause();
  }
  char byte;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_THAT(message_of(folder / "run"), HasSubstr("process " + std::to_string(holder)));

  ::kill(holder, SIGKILL);
  ::waitpid(holder, nullptr, 0);

  EXPECT_EQ(message_of(folder / "run"), "");
}

}   // namespace
}   // namespace lastro
