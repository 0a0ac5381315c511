#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

namespace lastro {

// The system calls with which a checkpoint is made, read and removed. `subject` names what they act on (core/crash_points.h); around each
// call stand crash points. A port: infra/posix has the implementation. Errors: EnvironmentError with the call and its errno.

// A file that is being made under a name for drafts. Destroyed before keep(), it is closed and its name removed.
class DraftFile {
 public:
  enum class Begin { empty, existing };
  // `existing` goes on with a file that is already there.
  DraftFile(std::string_view subject, std::filesystem::path draft, Begin begin);
  ~DraftFile();
  DraftFile(const DraftFile&) = delete;
  DraftFile& operator=(const DraftFile&) = delete;

  // Gives the file this length with room on the disk, so that later writes cannot run out of it.
  void reserve(std::int64_t bytes);
  void write_at(std::int64_t offset, std::span<const std::byte> bytes);
  void read_at(std::int64_t offset, std::span<std::byte> bytes);

  // Makes the content durable, gives the file its real name, and makes that durable.
  void keep(const std::filesystem::path& path);

 private:
  std::string_view subject_;
  std::filesystem::path draft_;
  int fd_ = -1;
};

// A file of this text, all or nothing, durable when it returns.
void write_durable_file(std::string_view subject, const std::filesystem::path& path, std::string_view text);

// A file that is read.
class InputFile {
 public:
  explicit InputFile(std::filesystem::path path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  std::int64_t bytes() const { return bytes_; }
  // Throws ContractError when the file ends before.
  void read_at(std::int64_t offset, std::span<std::byte> bytes) const;
  // Lets the system forget what it holds of the file in memory, so that it is read from the disk.
  void drop_cache() const;

 private:
  std::filesystem::path path_;
  int fd_ = -1;
  std::int64_t bytes_ = 0;
};

// A folder and its parents; what is made is durable.
void make_durable_folder(const std::filesystem::path& folder);
void move_folder(const std::filesystem::path& from, const std::filesystem::path& to);
// Removes a folder's files, `first` before the others, then the folder. Sub-folders are removed with what they hold. No error if there is none.
void remove_durably(const std::filesystem::path& folder, std::string_view first);
void remove_file(const std::filesystem::path& path);
// A second name for a file; where the file system has none to give across devices, a durable copy.
void link_or_copy(const std::filesystem::path& from, const std::filesystem::path& to);
void sync_artifact_folder(const std::filesystem::path& folder);

}   // namespace lastro
