#include "core/durable_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>
#include <vector>

#include "core/crash_points.h"
#include "core/refused_file.h"
#include "domain/errors.h"

namespace lastro {
namespace {

// Makes one system call between its crash points: `make` returns 0 or an errno.
template <class Make>
void call(std::string_view subject, const char* name, const std::filesystem::path& path, const char* what, Make make) {
  const AroundCall around(subject, name);
  const int error = around.injected() ? around.injected() : make();
  if (error) refuse_file(path, what, name, error);
}

int result(long value) { return value < 0 ? errno : 0; }

void sync_folder_entries(std::string_view subject, const char* name, const std::filesystem::path& folder) {
  call(subject, name, folder, "cannot be made durable", [&] {
    const int fd = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return errno;
    const int error = ::fsync(fd) != 0 && errno != EINVAL ? errno : 0;   // EINVAL: a file system without folders to sync
    ::close(fd);
    return error;
  });
}

int write_all(int fd, std::int64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(fd, bytes.data(), bytes.size(), offset);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    offset += written;
    bytes = bytes.subspan(written);
  }
  return 0;
}

// Bytes read before the end of the file, or -errno.
std::int64_t read_all(int fd, std::int64_t offset, std::span<std::byte> bytes) {
  std::int64_t total = 0;
  while (total < static_cast<std::int64_t>(bytes.size())) {
    const ssize_t got = ::pread(fd, bytes.data() + total, bytes.size() - total, offset + total);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -errno;
    if (got == 0) break;
    total += got;
  }
  return total;
}

std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> entries;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    entries.push_back(entry->path());
  if (error) refuse_file(folder, "cannot be listed", "opendir", error.value());
  std::sort(entries.begin(), entries.end());
  return entries;
}

}   // namespace

DraftFile::DraftFile(std::string_view subject, std::filesystem::path draft, Begin begin) : subject_(subject), draft_(std::move(draft)) {
  call(subject_, "open", draft_, "cannot be created", [&] {
    fd_ = ::open(draft_.c_str(), O_RDWR | O_CLOEXEC | (begin == Begin::empty ? O_CREAT | O_TRUNC : 0), 0644);
    return result(fd_);
  });
}

DraftFile::~DraftFile() {
  if (fd_ < 0) return;
  ::close(fd_);
  ::unlink(draft_.c_str());
}

void DraftFile::reserve(std::int64_t bytes) {
  call(subject_, "reserve", draft_, "cannot get its room on the disk", [&] { return bytes == 0 ? 0 : ::posix_fallocate(fd_, 0, bytes); });
}

void DraftFile::write_at(std::int64_t offset, std::span<const std::byte> bytes) {
  call(subject_, "write", draft_, "cannot be written", [&] { return write_all(fd_, offset, bytes); });
}

void DraftFile::read_at(std::int64_t offset, std::span<std::byte> bytes) {
  call(subject_, "read", draft_, "cannot be read", [&] {
    const std::int64_t got = read_all(fd_, offset, bytes);
    if (got < 0) return static_cast<int>(-got);
    return got == static_cast<std::int64_t>(bytes.size()) ? 0 : EIO;
  });
}

void DraftFile::keep(const std::filesystem::path& path) {
  call(subject_, "sync", draft_, "cannot be made durable", [&] { return result(::fsync(fd_)); });
  try {
    call(subject_, "close", draft_, "cannot be written", [&] { return result(::close(std::exchange(fd_, -1))); });
    call(subject_, "rename", path, "cannot be given to a finished draft", [&] { return result(::rename(draft_.c_str(), path.c_str())); });
  } catch (...) {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
    ::unlink(draft_.c_str());
    throw;
  }
  sync_folder_entries(subject_, "folder", path.parent_path());
}

void write_durable_file(std::string_view subject, const std::filesystem::path& path, std::string_view text) {
  DraftFile draft(subject, path.string() + ".tmp", DraftFile::Begin::empty);
  draft.write_at(0, std::as_bytes(std::span(text)));
  draft.keep(path);
}

InputFile::InputFile(std::filesystem::path path) : path_(std::move(path)), fd_(::open(path_.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (fd_ < 0) refuse_file(path_, "cannot be opened", "open", errno);
  struct stat status;
  if (::fstat(fd_, &status) != 0) {
    const int error = errno;
    ::close(fd_);
    refuse_file(path_, "cannot be read", "fstat", error);
  }
  bytes_ = status.st_size;
}

InputFile::~InputFile() { ::close(fd_); }

void InputFile::read_at(std::int64_t offset, std::span<std::byte> bytes) const {
  const std::int64_t got = read_all(fd_, offset, bytes);
  if (got < 0) refuse_file(path_, "cannot be read", "pread", static_cast<int>(-got));
  if (got != static_cast<std::int64_t>(bytes.size()))
    throw ContractError(path_.string() + " ends at byte " + std::to_string(offset + got) + " (" + std::to_string(bytes.size()) +
                            " bytes were to be read from " + std::to_string(offset) + ")",
                        path_.string(), std::to_string(bytes.size()), std::to_string(got));
}

void InputFile::drop_cache() const { ::posix_fadvise(fd_, 0, 0, POSIX_FADV_DONTNEED); }

void make_durable_folder(const std::filesystem::path& folder) {
  if (std::filesystem::is_directory(folder)) return;
  const std::filesystem::path parent = folder.parent_path();
  if (!parent.empty()) make_durable_folder(parent);
  call("folder", "make", folder, "cannot be made", [&] { return ::mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST ? errno : 0; });
  sync_folder_entries("folder", "sync", parent);
}

void move_folder(const std::filesystem::path& from, const std::filesystem::path& to) {
  call("folder", "move", from, "cannot be moved out of the way", [&] { return result(::rename(from.c_str(), to.c_str())); });
  sync_folder_entries("folder", "sync", to.parent_path());
}

void remove_file(const std::filesystem::path& path) {
  call("old", "remove", path, "cannot be removed", [&] { return ::unlink(path.c_str()) != 0 && errno != ENOENT ? errno : 0; });
}

void remove_durably(const std::filesystem::path& folder, std::string_view first) {
  if (!std::filesystem::is_directory(std::filesystem::symlink_status(folder))) return;
  remove_file(folder / first);
  sync_folder_entries("old", "folder", folder);
  for (const std::filesystem::path& entry : entries_of(folder)) {
    if (std::filesystem::is_directory(std::filesystem::symlink_status(entry)))
      remove_durably(entry, first);
    else
      remove_file(entry);
  }
  call("old", "remove", folder, "cannot be removed", [&] { return result(::rmdir(folder.c_str())); });
  sync_folder_entries("old", "folder", folder.parent_path());
}

// 0 or an errno. std::filesystem's copy says EIO where the disk is full.
static int copy_bytes(const std::filesystem::path& from, const std::filesystem::path& to) {
  const int source = ::open(from.c_str(), O_RDONLY | O_CLOEXEC);
  if (source < 0) return errno;
  const int target = ::open(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  int error = target < 0 ? errno : 0;
  std::vector<std::byte> block(std::size_t{1} << 20);
  for (std::int64_t offset = 0; error == 0;) {
    const std::int64_t got = read_all(source, offset, block);
    if (got <= 0) {
      error = static_cast<int>(-got);
      break;
    }
    error = write_all(target, offset, std::span(block).first(got));
    offset += got;
  }
  ::close(source);
  if (target >= 0 && ::close(target) != 0 && error == 0) error = errno;
  return error;
}

void link_or_copy(const std::filesystem::path& from, const std::filesystem::path& to) {
  bool copy = false;
  call("artifact", "link", to, "cannot be made a name of a checkpoint's file", [&] {
    if (::link(from.c_str(), to.c_str()) == 0) return 0;
    copy = errno == EXDEV || errno == EPERM || errno == EMLINK || errno == EOPNOTSUPP || errno == ENOSYS;
    return copy ? 0 : errno;
  });
  if (!copy) return;
  if (const int error = copy_bytes(from, to)) refuse_file(to, "cannot be made a copy of a checkpoint's file", "write", error);
  call("artifact", "sync", to, "cannot be made durable", [&] {
    const int fd = ::open(to.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return errno;
    const int failed = result(::fsync(fd));
    ::close(fd);
    return failed;
  });
}

void sync_artifact_folder(const std::filesystem::path& folder) { sync_folder_entries("artifact", "sync", folder); }

}   // namespace lastro
