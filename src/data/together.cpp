#include "data/together.h"

#include <array>
#include <exception>
#include <new>
#include <string>

#include "domain/errors.h"

namespace lastro {
namespace {

// What a part threw, if anything.
struct Failure {
  std::exception_ptr thrown;
  std::int64_t code = 0;   // 0: nothing
  std::string message;
};

Failure failure_of(const std::function<void()>& part) {
  try {
    part();
    return {};
  } catch (const Error& error) {
    return {std::current_exception(), static_cast<std::int64_t>(error.code()), error.what()};
  } catch (const std::bad_alloc&) {
    return {std::current_exception(), static_cast<std::int64_t>(ExitCode::budget), "no memory is left"};
  } catch (const std::exception& error) {
    return {std::current_exception(), static_cast<std::int64_t>(ExitCode::internal), error.what()};
  }
}

}   // namespace

void together(RunContext& run, const std::function<void()>& part) {
  const Failure mine = failure_of(part);
  std::array<std::int64_t, 2> worst{mine.code, run.is_asked_to_stop() ? 1 : 0};
  run.ranks.all_max(worst);
  if (worst[0] != 0) {
    const auto messages = all_gather_text(run.ranks, mine.message);
    if (mine.thrown) std::rethrow_exception(mine.thrown);
    for (std::size_t rank = 0; rank < messages.size(); ++rank)
      if (!messages[rank].empty()) throw Error(static_cast<ExitCode>(worst[0]), "rank " + std::to_string(rank) + ": " + messages[rank]);
  }
  if (worst[1] != 0) throw Preempted("asked to stop. Run the same command to go on");
}

}   // namespace lastro
