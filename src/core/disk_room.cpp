#include "core/disk_room.h"

#include <algorithm>

#include "core/cost.h"

namespace lastro {
namespace {

std::string classes_of(const DiskNeed& need) {
  std::string text;
  const auto add = [&](const char* name, std::int64_t bytes) {
    if (bytes > 0) text += (text.empty() ? "" : ", ") + std::string(name) + " " + bytes_text(bytes);
  };
  add("artifacts", need.store + need.linked);
  add("checkpoints", need.run);
  add("temporary files", need.work);
  return text;
}

std::optional<std::string> shortage_in(const std::string& folder, const DiskNeed& need, std::int64_t bytes, std::int64_t free_bytes) {
  if (bytes <= free_bytes) return std::nullopt;
  return "about " + bytes_text(bytes) + " will be written to " + folder + " and " + bytes_text(free_bytes) + " is free there (" + classes_of(need) +
         "; a full disk ends a stage or a save, and loses nothing that was made) free some space, or name another folder by --run or --store";
}

}   // namespace

std::optional<std::string> disk_shortage(const DiskNeed& need, const DiskRoom& room) {
  const std::int64_t in_run = std::max<std::int64_t>(0, need.run + need.work - room.run_bytes_already);
  if (room.is_one_file_system) {
    const DiskNeed both{.store = need.store, .run = need.run, .work = need.work};
    return shortage_in(room.store + " and " + room.run, both, need.store + in_run, room.store_free_bytes);
  }
  if (auto of_store = shortage_in(room.store, {.store = need.store, .linked = need.linked}, need.store + need.linked, room.store_free_bytes))
    return of_store;
  return shortage_in(room.run, {.run = need.run, .work = need.work}, in_run, room.run_free_bytes);
}

}   // namespace lastro
