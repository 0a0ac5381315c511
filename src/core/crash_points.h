#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace lastro {

// Every system call with which a checkpoint is made, by what it acts on. Around each stand two points, "<subject>.<call>:before" and ":after".
// They do nothing unless armed. A call that is not in this list is refused where it is announced, and a test hits all that are: so
// the list is complete, and each point has been crashed at.
struct SaveCall {
  std::string_view subject;
  std::string_view call;
};
std::span<const SaveCall> save_calls();

// What happens at an armed point: the process ends at once as if killed, or the call fails with this error number.
struct ArmedPoint {
  std::string point;         // "shard.write:before"
  std::optional<int> rank;   // on this rank alone
  int nth = 1;               // at its nth passing, counted from 1 over all ranks
  int fail_with = 0;         // 0: end the process (exit code 137); an errno: the call fails (":before" only)
};

// From text "name[:before|:after][:rank[:nth]]", e.g. of the environment's LASTRO_CRASH; ":before" may be left out. Throws UsageError.
ArmedPoint parse_crash(std::string_view text);

// At most one point is armed in a process. Not while a save is under way.
void arm(const std::optional<ArmedPoint>& point);
// Arms what LASTRO_CRASH says, if it is set.
void arm_from_environment();

// Which rank's calls the calling thread makes; -1 until said.
void name_crash_rank(int rank);

// Everything passed since the last call, in order, as "subject.call"; recorded only between record_calls(true) and record_calls(false).
void record_calls(bool on);
std::string recorded_calls();

// Stands around one system call.
class AroundCall {
 public:
  AroundCall(std::string_view subject, std::string_view call);
  ~AroundCall();
  AroundCall(const AroundCall&) = delete;
  AroundCall& operator=(const AroundCall&) = delete;

  // The error number that the call is to fail with instead of being made; 0: none.
  int injected() const { return injected_; }

 private:
  SaveCall call_;
  int exceptions_;
  int injected_ = 0;
};

}   // namespace lastro
