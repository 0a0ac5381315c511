#include "core/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "core/refused_file.h"

namespace lastro {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const char* what, const char* call) { refuse_file(path, what, call, errno); }

class File {
 public:
  File(const std::filesystem::path& path, int flags, const char* what) : path_(path), fd_(::open(path.c_str(), flags | O_CLOEXEC, 0644)) {
    if (fd_ < 0) fail(path, what, "open");
  }
  ~File() {
    if (fd_ >= 0) ::close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  void write(std::string_view text) {
    while (!text.empty()) {
      const ssize_t written = ::write(fd_, text.data(), text.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail(path_, "cannot be written", "write");
      text.remove_prefix(written);
    }
  }
  void sync() {
    if (::fsync(fd_) != 0 && errno != EINVAL) fail(path_, "cannot be made durable", "fsync");
  }
  void close() {
    const int fd = fd_;
    fd_ = -1;
    if (::close(fd) != 0) fail(path_, "cannot be written", "close");
  }
  int fd() const { return fd_; }

 private:
  std::filesystem::path path_;
  int fd_;
};

}   // namespace

std::string read_file(const std::filesystem::path& path) {
  File file(path, O_RDONLY, "cannot be opened");
  struct stat status;
  if (::fstat(file.fd(), &status) != 0) fail(path, "cannot be read", "fstat");
  if (S_ISDIR(status.st_mode)) {
    errno = EISDIR;
    fail(path, "cannot be read", "read");
  }
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t length = 0;
  for (;;) {
    if (length == text.size()) text.resize(text.size() + 4096);   // a file that grows, or one of /proc, whose size is unknown
    const ssize_t got = ::read(file.fd(), text.data() + length, text.size() - length);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path, "cannot be read", "read");
    if (got == 0) break;
    length += got;
  }
  text.resize(length);
  return text;
}

void write_file(const std::filesystem::path& path, std::string_view text) {
  const std::filesystem::path draft = path.string() + ".tmp-" + std::to_string(::getpid());
  try {
    File file(draft, O_WRONLY | O_CREAT | O_TRUNC, "cannot be created");
    file.write(text);
    file.sync();
    file.close();
    if (::rename(draft.c_str(), path.c_str()) != 0) fail(path, "cannot be replaced", "rename");
  } catch (...) {
    ::unlink(draft.c_str());
    throw;
  }
  sync_folder(path.parent_path());
}

void sync_folder(const std::filesystem::path& folder) { File(folder.empty() ? "." : folder, O_RDONLY | O_DIRECTORY, "cannot be opened").sync(); }

void sync_file(const std::filesystem::path& path) { File(path, O_RDONLY, "cannot be opened").sync(); }

void make_folders(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error && std::filesystem::is_directory(folder)) return;
  errno = error ? error.value() : ENOTDIR;
  fail(folder, "cannot be made a folder", "mkdir");
}

}   // namespace lastro
