#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/collective.h"

namespace lastro {

struct Failure {
  int rank = 0;
  std::string message;
  int error = 0;   // errno of a system call that failed, else 0
};

// Every rank does its part; returns what failed, ranks ascending, the same on every rank. Empty when all went well. Exceptions of `work`
// that derive from std::exception become failures; those of the collective itself come through.
std::vector<Failure> together(Collective& ranks, const std::function<void()>& work);

}   // namespace lastro
