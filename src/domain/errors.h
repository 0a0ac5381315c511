#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace lastro {

// What a program of Lastro exits with; scripts and schedulers read it.
enum class ExitCode : int {
  ok = 0,
  usage = 2,         // a wrong command line or manifest
  environment = 3,   // a library, file system or machine refused
  contract = 4,      // an artifact, hash or input is not what was agreed
  hold = 5,          // a gate failed
  budget = 6,        // the plan does not fit the budget or the memory
  preempted = 7,     // asked to stop; saved; run the same command again
  rank_died = 8,     // run the same command again
  diverged = 9,      // training does not converge any more
  internal = 70,     // a contract inside the program broke
};

// Ends the run. The text says problem (why) suggestion, in lower case, with the values; the fields are its facts.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

struct UsageError : Error {
  explicit UsageError(const std::string& message) : Error(ExitCode::usage, message) {}
};

struct ContractError : Error {
  explicit ContractError(const std::string& message) : Error(ExitCode::contract, message) {}
  ContractError(const std::string& message, std::string artifact, std::string wanted, std::string found, int rank = -1)
      : Error(ExitCode::contract, message), artifact(std::move(artifact)), wanted(std::move(wanted)), found(std::move(found)), rank(rank) {}
  std::string artifact;
  std::string wanted;
  std::string found;
  int rank = -1;
};

struct EnvironmentError : Error {
  explicit EnvironmentError(const std::string& message) : Error(ExitCode::environment, message) {}
  EnvironmentError(const std::string& message, std::string library, std::string call, int error, int rank = -1)
      : Error(ExitCode::environment, message), library(std::move(library)), call(std::move(call)), error(error), rank(rank) {}
  std::string library;
  std::string call;
  int error = 0;
  int rank = -1;
};

struct BudgetError : Error {
  explicit BudgetError(const std::string& message) : Error(ExitCode::budget, message) {}
};

struct DivergedError : Error {
  explicit DivergedError(const std::string& message) : Error(ExitCode::diverged, message) {}
};

// Not a failure: the stage was asked to stop, saved its state, and goes on when the same command is run again.
struct Preempted : Error {
  explicit Preempted(const std::string& message) : Error(ExitCode::preempted, message) {}
};

struct InternalError : Error {
  explicit InternalError(const std::string& message) : Error(ExitCode::internal, message) {}
};

}   // namespace lastro
