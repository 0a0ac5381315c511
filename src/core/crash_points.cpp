#include "core/crash_points.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <vector>

#include "domain/errors.h"

namespace lastro {
namespace {

constexpr SaveCall calls[] = {
    {"folder", "make"},    // step-...
    {"folder", "sync"},    // checkpoints/, so that the step's folder is found again
    {"folder", "move"},    // what lies in its place and belongs to another stage
    {"shard", "layout"},   // the HDF5 structure, by the library
    {"shard", "open"},    {"shard", "reserve"}, {"shard", "write"}, {"shard", "read"},   {"shard", "sync"},  {"shard", "close"},
    {"shard", "rename"},  {"shard", "folder"},  {"index", "open"},  {"index", "write"},  {"index", "sync"},  {"index", "close"},
    {"index", "rename"},  {"index", "folder"},  {"marker", "open"}, {"marker", "write"}, {"marker", "sync"}, {"marker", "close"},
    {"marker", "rename"}, {"marker", "folder"}, {"old", "remove"},   // one file of a checkpoint that rotation, a roll-back or a failed save gives up
    {"old", "folder"},                                               // its folder's entries are made durable
    {"artifact", "link"}, {"artifact", "sync"},
};

// One for the process, since a crash is the process's.
struct State {
  std::mutex mutex;
  std::optional<ArmedPoint> armed;
  int passed = 0;
  bool recording = false;
  std::vector<std::string> record;
};
State& state() {
  static State one;
  return one;
}

thread_local int rank_of_thread = -1;

const SaveCall& known(std::string_view subject, std::string_view call) {
  for (const SaveCall& one : calls)
    if (one.subject == subject && one.call == call) return one;
  throw InternalError("the call " + std::string(subject) + "." + std::string(call) +
                      " is not in the list of a save's calls (core/crash_points.cpp) add it");
}

// Ends the process or returns the error to fail with, if the point is the armed one.
int pass(const SaveCall& call, std::string_view side) {
  State& shared = state();
  const std::lock_guard lock(shared.mutex);
  if (shared.recording && side == ":before") shared.record.push_back(std::string(call.subject) + "." + std::string(call.call));
  if (!shared.armed) return 0;
  const ArmedPoint& armed = *shared.armed;
  if (armed.rank && *armed.rank != rank_of_thread) return 0;
  if (armed.point != std::string(call.subject) + "." + std::string(call.call) + std::string(side)) return 0;
  if (++shared.passed != armed.nth) return 0;
  if (armed.fail_with == 0) std::_Exit(137);
  return armed.fail_with;
}

std::optional<int> whole_number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}   // namespace

std::span<const SaveCall> save_calls() { return calls; }

ArmedPoint parse_crash(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(':', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  ArmedPoint armed;
  std::string_view side = "before";
  std::size_t next = 1;
  if (parts.size() > next && (parts[next] == "before" || parts[next] == "after")) side = parts[next++];
  armed.point = std::string(parts[0]) + ":" + std::string(side);
  const bool exists = std::any_of(std::begin(calls), std::end(calls),
                                  [&](const SaveCall& one) { return parts[0] == std::string(one.subject) + "." + std::string(one.call); });
  if (parts.size() > next) armed.rank = whole_number(parts[next]);
  const bool rank_read = parts.size() <= next || armed.rank;
  const std::optional<int> nth = parts.size() > next + 1 ? whole_number(parts[next + 1]) : 1;
  if (!exists || !rank_read || !nth || parts.size() > next + 2)
    throw UsageError("LASTRO_CRASH=" + std::string(text) +
                     " names no crash point (the form is subject.call[:before|:after][:rank[:nth]]) e.g. shard.rename:after:0");
  armed.nth = *nth;
  return armed;
}

void arm(const std::optional<ArmedPoint>& point) {
  const std::lock_guard lock(state().mutex);
  state().armed = point;
  state().passed = 0;
}

void arm_from_environment() {
  if (const char* text = std::getenv("LASTRO_CRASH")) arm(parse_crash(text));
}

void name_crash_rank(int rank) { rank_of_thread = rank; }

void record_calls(bool on) {
  const std::lock_guard lock(state().mutex);
  state().recording = on;
  if (on) state().record.clear();
}

std::string recorded_calls() {
  const std::lock_guard lock(state().mutex);
  std::string text;
  for (const std::string& call : state().record) text += (text.empty() ? "" : " ") + call;
  return text;
}

AroundCall::AroundCall(std::string_view subject, std::string_view call)
    : call_(known(subject, call)), exceptions_(std::uncaught_exceptions()), injected_(pass(call_, ":before")) {}

AroundCall::~AroundCall() {
  if (std::uncaught_exceptions() == exceptions_) pass(call_, ":after");
}

}   // namespace lastro
