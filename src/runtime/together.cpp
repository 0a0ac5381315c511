#include "runtime/together.h"

#include <charconv>

#include "domain/errors.h"

namespace lastro {

std::vector<Failure> together(Collective& ranks, const std::function<void()>& work) {
  std::string mine;   // errno, a blank and the message; empty: all went well
  try {
    work();
  } catch (const EnvironmentError& error) {
    mine = std::to_string(error.error) + " " + error.what();
  } catch (const std::exception& error) {
    mine = "0 " + std::string(error.what());
  }
  const std::vector<std::string> all = all_gather_text(ranks, mine);
  std::vector<Failure> failures;
  for (int rank = 0; rank < ranks.size(); ++rank) {
    const std::string& text = all[rank];
    if (text.empty()) continue;
    Failure failure{.rank = rank, .message = text.substr(text.find(' ') + 1)};
    std::from_chars(text.data(), text.data() + text.size(), failure.error);
    failures.push_back(std::move(failure));
  }
  return failures;
}

}   // namespace lastro
