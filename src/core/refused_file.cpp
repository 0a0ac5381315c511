#include "core/refused_file.h"

#include <cerrno>
#include <cstring>

#include "domain/errors.h"

namespace lastro {

void refuse_file(const std::filesystem::path& path, std::string_view what, const char* call, int error) {
  throw EnvironmentError(path.string() + " " + std::string(what) + " (" + std::strerror(error) + ")" + hint_for(error), "libc", call, error);
}

std::string hint_for(int error) {
  if (error == ENOSPC || error == EDQUOT) return " free some space and run the same command again";
  if (error == EROFS) return " choose a folder that you may write to (--run, --store)";
  if (error == EACCES || error == EPERM || error == ENOTDIR)
    return " look at the permissions of this path and of the folders above it, or name another";
  if (error == EMFILE || error == ENFILE) return " allow more open files (ulimit -n)";
  if (error == ENOENT) return " look whether the path is right, and whether something else removed it";
  if (error == EISDIR) return " name a file";
  if (error == EFBIG) return " allow larger files (ulimit -f), or choose another file system";
  if (error == EBADF) return " it is closed: leave it open, or give it a file";
  if (error == EIO) return " the disk may be failing: the system's log says more";
  return "";
}

}   // namespace lastro
