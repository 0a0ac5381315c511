#include "domain/problem.h"

namespace lastro {

std::string Problem::to_string() const {
  std::string place = file;
  if (mark.line > 0) place += ":" + std::to_string(mark.line) + ":" + std::to_string(mark.column);
  return place + ": " + message;
}

}   // namespace lastro
