#include <gtest/gtest.h>

#include <cstdio>

#include "infra/mpi/mpi_session.h"
#include "support/mpi_main.h"

// Runs the tests on every rank together. Rank 0 prints; the others print what fails. All ranks exit alike.
namespace {

class OnlyFailures final : public testing::EmptyTestEventListener {
 public:
  explicit OnlyFailures(int rank) : rank_(rank) {}
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (result.failed())
      std::fprintf(stderr, "rank %d: %s:%d: %s\n", rank_, result.file_name() ? result.file_name() : "?", result.line_number(), result.message());
  }

 private:
  int rank_;
};

lastro::MpiSession* the_session = nullptr;

}   // namespace

namespace lastro {
MpiSession& session_of_test() { return *the_session; }
}   // namespace lastro

int main(int argc, char** argv) {
  lastro::MpiSession session(argc, argv);
  the_session = &session;
  testing::InitGoogleTest(&argc, argv);
  const auto ranks = session.ranks();
  if (!ranks->is_root()) {
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new OnlyFailures(ranks->rank().value));
  }
  std::int64_t failed[1] = {RUN_ALL_TESTS()};
  ranks->all_max(failed);
  return static_cast<int>(failed[0]);
}
