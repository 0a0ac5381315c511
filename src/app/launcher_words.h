#pragma once

#include <string>
#include <string_view>

namespace lastro {

// Finds in what mpirun writes on stderr which rank died. Open MPI 4 and 5 say it in a box of words, broken into lines where 76 columns end.
class LauncherWords {
 public:
  void take(std::string_view line);

  const std::string& dead() const { return dead_; }   // "rank 1 died (signal 9 (Killed) on node-3)"; "" as long as none is named
  bool was_killed() const { return was_killed_; }     // by a signal
  const std::string& last() const { return last_; }   // the last line with words in it

 private:
  std::string text_;   // the newest lines, joined
  std::string dead_;
  std::string last_;
  bool was_killed_ = false;
};

}   // namespace lastro
