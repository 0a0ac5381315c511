#include "app/launcher_words.h"

#include <regex>

namespace lastro {
namespace {

constexpr std::size_t longest_text = 1000;   // a message of the launcher has a few hundred characters

}   // namespace

void LauncherWords::take(std::string_view line) {
  if (line.find_first_not_of("- ") == line.npos) return;
  last_ = line;
  text_.append(line).push_back(' ');
  if (text_.size() > longest_text) text_.erase(0, text_.size() - longest_text);

  // Of a rank that a signal ended, and of one that ended by itself: [[123,1],2] to Open MPI 4, [prterun-node-456@1,2] to Open MPI 5.
  static const std::regex by_signal("process rank ([0-9]+) with PID [0-9]+ on node (\\S+) +exited on +(signal [0-9]+( +\\([^)]*\\))?)\\.");
  static const std::regex by_itself("Process name: *\\[\\S*,([0-9]+)\\] +Exit code: *([0-9]+)");
  std::smatch found;
  if (was_killed_) return;
  if (std::regex_search(text_, found, by_signal)) {
    was_killed_ = true;
    dead_ = "rank " + found[1].str() + " died (" + found[3].str() + " on " + found[2].str() + ")";
  } else if (dead_.empty() && std::regex_search(text_, found, by_itself)) {
    dead_ = "rank " + found[1].str() + " died (exit code " + found[2].str() + ")";
  }
}

}   // namespace lastro
